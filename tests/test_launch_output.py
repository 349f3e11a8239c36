"""Where reports are kept."""

from nsightlens.launch.output import keep


def test_a_report_whose_place_is_a_folder_by_now_is_kept_beside_it(tmp_path):
    collected = tmp_path / "collected"
    collected.write_bytes(b"report")
    (tmp_path / "run.ncu-rep").mkdir()
    place = keep(collected, tmp_path / "run.ncu-rep", force=True)
    assert place == tmp_path / "kept-run.ncu-rep"
    assert place.read_bytes() == b"report"
