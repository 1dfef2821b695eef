"""The tests that `.ci/run` runs and the README's command does not, room by room.

What they prove is tried by quicker ones next to them, in fewer ways.
"""

import re

_SLOW = (
    # pages in Chromium
    "browser/test_(?!modules)",
    # attacks, sandboxes, and faults inside them; the same faults of a bare player are tried
    "hostile/test_(soak|start)",
    r"hostile/test_matrix\.py::(test_an_attack|.*\[(limits|bwrap))",
    "sandbox/test_(canary|cgroups|container|landlock|surroundings)",
    r"sandbox/test_overload\.py::test_(delay|late|nothing|who)",
    r"sandbox/test_seccomp\.py::test_(a_compiler|an_ordinary|java|node|python)",
    r"tournament/test_sandbox\.py::test_(a_game_in|built_in)",
    # players that wait, stop and go on; those in other languages; engines of others
    "referee/test_(kept|other_languages|ponder)",
    r"referee/test_presence\.py::test_(?!a_look)",
    r"referee/test_game\.py::test_(faults_may|the_monkey)",
    r"players/test_(gtp|nboard)\.py::test_(a_game_(taken|with)|an_eng|another|games|keeps|levels|the_clock|what_(keeps|the)|whole)",
    # bots from the first item of a check to the last, and their builds; some mistakes are tried
    "checks/test_alike",
    r"checks/test_for_a_tournament\.py::test_(a_bank|a_bot_too|a_good|positions|the_same)",
    r"checks/test_check\.py::test_a_(good_script|package_is|process|script_is)",
    r"checks/test_mistakes\.py::.*\[(?!banner|debug print|ignores time|no flush)",
    "bots/test_starter_strength",
    r"bots/test_starters\.py::test_(it_decides|it_plays|its|the_test)",
    r"bots/test_archive\.py::test_what_does_harm",
    r"bots/test_build\.py::test_what_it_makes",
    r"bots/test_course\.py::test_killed",
    r"environments/test_as_bot\.py::test_a_policy",
    # commands in processes of their own, whole weeks of a course, examples of all pages
    r"(cli|human)/.*::test_(a_pipe|a_terminal|ctrl_c|leaving|on_a_terminal)",
    r"cli/test_check\.py::test_(?!a_line|what_is_not)",
    r"cli/test_course\.py::test_a_run_goes",
    r"cli/test_commands\.py::test_tile_games_replay",
    r"cli/test_foreign_text\.py::test_(a_store\[analyse|what_a_bot)",
    r"cli/test_match\.py::test_the_same_match",
    r"cli/test_students\.py::test_a_bot_is_submitted",
    r"human/(test_engine|test_play\.py::test_a_(fault_of|strong_placer))",
    r"doctor/test_doctor\.py::test_without_what_is_needed.*\[(memory|network|files)",
    r"test_(class|first_tournament)\.py",
    r"test_docs\.py::test_every_example",
    r"test_third_game\.py::(?!test_(a_registration|the_rules))",
    # checks, runs and matches behind a page; the page is tried
    r"web/test_(hostile_uploads|killed_server)",
    r"web/test_api\.py::test_it_answers",
    r"web/test_challenge\.py::test_(in_a_sandbox|there_is_a_quota|two_games)",
    r"web/test_serve\.py::test_a_course_with",
    r"web/test_scheduler\.py::test_(a_(closed|pause|standing)|new_bots|none_is|one_is_played|what_cannot)",
    r"web/test_submit_to_server\.py::test_(refusals|what_is_shown)",
    r"web/test_upload\.py::test_(a_broken_bot|a_killed_server)",
    # runs that are killed, clusters, moved tasks
    r"tournament/test_formats\.py::test_killed",
    r"tournament/test_local\.py::test_(a_game_whose|a_killed_worker|each_game|interrupted|killed)",
    r"tournament/test_sequential\.py::test_a_run_that",
    r"tournament/test_(cluster_faults|moved)",
    "training/test_spread",
    r"tournament/test_cluster\.py::test_the_games_of_a_machine_that",
    r"test_cluster_bench\.py::test_machines",
    r"reports/test_damaged\.py::test_no_byte.*\[([1-9]|0-True)",
    r"fuzz/test_fuzz\.py::test_a_longer",
    # all kernels there are, and those that nothing else needs
    r"players/compiled/test_cache\.py::test_(a_cache_that|a_kernel_of_another|warming)",
    r"players/.*2584",
    r"test_endgame_common\.py::test_recursive",
    r"test_bench\.py::test_(rates|what_is_timed)",
    r"test_bench_tiles",
    # analysis to the end of a game
    r"analysis/test_analyse\.py::test_(a_mover|each_move|json|positions_of|small_games|the_board)",
    "analysis/test_(judging|problems)",
    r"analysis/test_openings\.py::test_(?!what_cannot)",
    # searches of deep positions, many playouts, whole games
    r"search/test_alphabeta\.py::test_(a_search_stopped|early|every_method|full_depth.*Dots)",
    r"uct/test_uct_options\.py::test_(selection|threads)",
    r"uct/test_uct_rave\.py::test_a_recorded",
    r"games/test_kernels_playouts\.py::test_(counting|every_lane|playouts_are)",
    r"games/test_views\.py::test_a_network",
    r"games/dots/test_(dots_far|dots_endgame_moves)",
    r"games/dots/test_dots_endgame\.py::test_(a_sample|every_position)",
    r"games/dots/test_evaluation_dots\.py::test_(expectation|values_are|where)",
    r"games/othello/test_othello_endgame\.py::test_(published|threads_that|values)",
    r"games/othello/test_evaluation_othello\.py::test_patterns",
    "players/test_(heuristic_player|kept_players|perfect_endgames)",
    r"players/test_searching_players\.py::test_plays",
    r"players/test_tile_players\.py::test_(a_bank|star)",
    r"weights/test_network_file\.py::test_the_networks",
    # training and tuning to the end
    r"learning/test_evaluation_fits",
    r"learning/test_curve\.py::test_the_same_blocks",
    "learning/test_game_training",
    r"learning/test_tile_training\.py::test_(a_network_is_trained|a_seed|a_small_file|games_teach)",
    r"tuning/test_tuning\.py::TestTuner::test_(a_long|more_games|resumed)",
    r"tuning/test_tuning_pictures\.py::test_(figures|weights_at)",
    "test_tuning_games",
    "training/test_tuning_tiles",
    r"tuning/test_tuning_tiles\.py::test_(a_game|a_weight|each|other|two)",
    r"training/test_training\.py::test_(a_disk|a_pipe|a_training|after|ctrl_c)",
    r"training/test_training_games\.py::test_tune_trains",
    r"training/test_tuning\.py::test_(from|games|killed|verified)",
    r"training/test_verifying\.py::test_(a_tuning|settings)",
    r"training/test_verifying_td\.py::test_(a_learned|ctrl_c|networks|what_was)",
    r"training/test_sprt\.py::test_(a_clear|a_tournament|not_decided)",
    # many samples of what is random
    r"ratings/test_(elo\.py::test_intervals|large_fields)",
    r"ratings/test_sprt\.py::test_(a_lead|half_way|wrong)",
    r"test_simulation\.py::test_a_trial",
    r"tournament/test_openings\.py::test_openings",
    r"rules/test_dots\.py::test_(best|the_value)",
    r"rules/test_othello\.py::test_(every_ply|random_play)",
    r"rules/test_perft\.py::test_the_number.*(5x5|6x6|othello-(standard|cornerless\]))",
    r"rules/test_tiles\.py::test_random_2048",
)
_IS_SLOW = re.compile("|".join(_SLOW))


def is_slow(nodeid: str) -> bool:
    """Whether the test is one of `.ci/run` alone; `nodeid` is pytest's name of it."""
    return _IS_SLOW.search(nodeid.removeprefix("tests/")) is not None
