"""`recommend`: a list of choices, or one program."""


def test_choices_and_a_program(cli):
    listed = cli("recommend", "--target", "ndcg", "--library", "xgboost")
    assert (listed.code, listed.err) == (0, "")
    assert "Code: consistency-lab recommend zhang --target ndcg --library xgboost" in listed.out
    assert max(map(len, listed.out.splitlines())) <= 100
    printed = cli("recommend", "zhang", "--target", "ndcg")
    compile(printed.out, "recommended.py", "exec")
    assert "needs a target" in cli("recommend").err
