//! The model table: every spelling in use leads to the right entry.

use enfold::count::Counter;
use enfold::count::budget::{Budget, Rules};
use enfold::count::models::{Found, Model, Table};

fn id(asked: &str) -> String {
    let resolved = Table::shipped().resolve(asked);
    assert!(!matches!(resolved.found, Found::Unknown { .. }), "{asked} is unknown");
    resolved.model.id
}

#[test]
fn every_entry_is_found_under_its_own_id_and_with_its_provider() {
    for model in Table::shipped().models() {
        let resolved = Table::shipped().resolve(&model.id);
        assert_eq!((resolved.model.id.as_str(), resolved.found), (model.id.as_str(), Found::Exact));
        assert_eq!(id(&format!("{}/{}", model.provider, model.id)), model.id);
    }
}

#[test]
fn ids_are_found_in_every_spelling_in_use() {
    for (asked, expected) in [
        ("gpt-4o", "gpt-4o"),
        ("openai/gpt-4o", "gpt-4o"),
        ("openrouter/openai/gpt-4o", "gpt-4o"),
        ("GPT-4o", "gpt-4o"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-4o-latest", "gpt-4o"),
        ("gpt-4-0613", "gpt-4"),
        ("ft:gpt-4o-2024-08-06:org::id", "gpt-4o"),
        ("gpt-5.4-2026-03-05", "gpt-5.4"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("anthropic.claude-3-5-sonnet-20240620-v1:0", "claude-3-5-sonnet-20240620"),
        ("bedrock/us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
        ("anthropic/claude-3.5-sonnet", "claude-3-5-sonnet-20240620"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219"),
        ("claude-3-5-haiku", "claude-3-5-haiku-latest"),
        ("claude-3-5-haiku-20241022", "claude-3-5-haiku-latest"),
        ("claude-3-opus", "claude-3-opus-20240229"),
        ("claude-opus-4", "claude-opus-4-20250514"),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"),
        ("amazon.nova-pro-v1:0", "nova-pro-v1"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini-2.5-pro-preview-05-06", "gemini-2.5-pro"),
        ("gemini-2.0-flash-001", "gemini-2.0-flash"),
        ("gemini-3-pro", "gemini-3-pro-preview"),
        ("google/gemini-1.5-pro", "gemini-1.5-pro"),
        ("deepseek/deepseek-chat:free", "deepseek-chat"),
        ("minimax/minimax-m2", "MiniMax-M2"),
        ("openai/gpt-oss-120b", "openai/gpt-oss-120b"),
    ] {
        assert_eq!(id(asked), expected, "{asked}");
    }
}

#[test]
fn the_windows_of_the_source_documents_are_there() {
    for (model, context, output) in [
        ("openai/gpt-4o", 128_000, 16_384),
        ("openai/gpt-4o-mini", 128_000, 16_384),
        ("openai/gpt-4-turbo", 128_000, 4_096),
        ("openai/gpt-4", 8_192, 4_096),
        ("openai/gpt-3.5-turbo", 16_385, 4_096),
        ("anthropic/claude-3.5-sonnet", 200_000, 8_192),
        ("anthropic/claude-3-opus", 200_000, 4_096),
        ("anthropic/claude-3-sonnet", 200_000, 4_096),
        ("anthropic/claude-3-haiku", 200_000, 4_096),
        ("google/gemini-pro", 32_000, 8_192),
        ("google/gemini-1.5-pro", 1_000_000, 8_192),
    ] {
        let model = Table::shipped().resolve(model).model;
        assert_eq!((model.context, model.max_output), (context, Some(output)), "{}", model.id);
    }
}

#[test]
fn a_model_nobody_knows_gets_a_window_of_128000_and_a_warning_that_names_the_source() {
    let resolved = Table::shipped().resolve("claude-opus-4-9");
    assert_eq!(resolved.model.context, 128_000);
    assert_eq!(
        resolved.finding().unwrap().to_string(),
        "warning: model `claude-opus-4-9` is not in the model table of 2026-11; a window of 128000 tokens is assumed; \
         did you mean `claude-opus-4-8`? Else add `[\"claude-opus-4-9\"]` with `context = N` to your models file"
    );
    assert_eq!(resolved.model.counter().name(), "o200k x 1.6", "an unknown Claude counts as the newest");
    for odd in ["", "/", "-", "[1m]", ":", "llama", "中文", "a/b/c/d", "-20250101", "ft:", "us.anthropic."]
    {
        assert!(Table::shipped().resolve(odd).finding().is_some(), "{odd:?}");
    }
}

#[test]
fn claude_codes_suffix_asks_for_a_million() {
    let table = Table::shipped();
    assert_eq!(table.resolve("claude-sonnet-4-5").model.context, 200_000);
    assert_eq!(table.resolve("claude-sonnet-4-5-20250929[1m]").model.context, 1_000_000);
    assert_eq!(table.resolve("claude-opus-4-8[1M]").model.context, 1_000_000);
}

#[test]
fn tokenizers_and_factors_are_those_of_the_family() {
    for (model, counter) in [
        ("gpt-4o", "o200k"),
        ("gpt-6-sol", "o200k"),
        ("gpt-4", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
        ("claude-sonnet-4-5", "o200k x 1.25"),
        ("claude-opus-4-7", "o200k x 1.6"),
        ("gemini-2.5-pro", "o200k x 1.1"),
        ("deepseek-chat", "o200k x 1.1"),
    ] {
        assert_eq!(Table::shipped().resolve(model).model.counter().name(), counter, "{model}");
    }
    for model in Table::shipped().models() {
        let is_openai = model.family == "openai";
        assert_eq!(model.counter().is_exact(), is_openai, "{}", model.id);
    }
}

#[test]
fn cache_rules_and_price_cliffs_are_those_of_the_provider() {
    let cache = |id: &str| Table::shipped().resolve(id).model.cache;
    let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-9;
    assert!(near(cache("claude-opus-5-5").read, 0.05) && near(cache("claude-opus-5-5").write, 1.25));
    assert!(near(cache("claude-fable-5-1").read, 0.025));
    assert_eq!((cache("claude-opus-4-5").ttl, cache("claude-opus-4-5").long_ttl), (Some(300), Some(3_600)));
    assert_eq!(
        (cache("claude-opus-4-5").min_tokens, cache("claude-opus-5").min_tokens),
        (Some(4_096), Some(512))
    );
    assert!(near(cache("gpt-4o").read, 0.5) && near(cache("gpt-4o").write, 1.0));
    assert!(near(cache("gpt-6.1-sol").read, 0.05) && near(cache("gpt-6.1-sol").write, 1.25));
    assert!(near(cache("deepseek-v4-flash").read, 0.02) && near(cache("deepseek-v4-flash").write, 1.0));
    let cliff = Table::shipped().resolve("claude-haiku-5-5").model.prices.unwrap().cliff.unwrap();
    assert_eq!((cliff.over, cliff.input), (100_000, 0.5));
    let cliff = Table::shipped().resolve("gpt-5.5").model.prices.unwrap().cliff.unwrap();
    assert_eq!((cliff.over, cliff.input, cliff.output), (272_000, 10.0, 45.0));
    assert_eq!((cache("gpt-5.5").block, cache("claude-opus-5").block), (Some(128), None));
    assert_eq!(Table::shipped().resolve("gpt-5").model.max_input, Some(272_000));
    assert_eq!(Table::shipped().resolve("gpt-4o").model.max_input, None);
}

#[test]
fn a_users_own_entries_win_and_fill_up_from_the_table() {
    let toml = "[\"gpt-4o\"]\ncontext = 64000\nfactor = 1.05\n\n[my-llama]\ncontext = 32768\ntokenizer = \"heuristic\"\n";
    let table = Table::shipped().with_toml(toml).unwrap();
    let resolved = table.resolve("openai/gpt-4o-2024-08-06");
    assert_eq!((resolved.model.context, resolved.model.max_output), (64_000, Some(16_384)));
    assert_eq!((resolved.found, resolved.model.source.as_str()), (Found::Override, "your models file"));
    assert_eq!(table.resolve("gpt-4o").model.counter().name(), "o200k x 1.05");
    assert_eq!(table.resolve("my-llama").model.context, 32_768);
    assert!(table.resolve("my-llama").finding().is_none());
    assert_eq!(table.resolve("gpt-4o-mini").model.context, 128_000);
    let csv = "model,context,max_output\nmy-model,4096,1024\n# a remark\nclaude-opus-5,500000,\n";
    let table = Table::shipped().with_csv(csv).unwrap();
    assert_eq!(table.resolve("my-model").model.max_output, Some(1_024));
    let opus = table.resolve("claude-opus-5").model;
    assert_eq!((opus.context, opus.max_output), (500_000, Some(128_000)));
    assert!(opus.prices.is_some());
}

#[test]
fn broken_entries_are_refused_with_thing_cause_and_remedy() {
    for (toml, expected) in [
        ("x = ", "models file: "),
        ("[\"m\"]\ncontxt = 5", "unknown field `contxt`"),
        ("[\"m\"]\ncontext = -5", "models file: "),
        ("[\"m\"]\ncontext = 0", "model `m` has a context of 0; write the size of its window in tokens"),
        ("[\"m\"]\ntokenizer = \"gpt2\"", "tokenizer `gpt2` is not one of o200k, cl100k, heuristic"),
        ("[\"m\"]\nfactor = 0", "factor `0` is not a number between"),
        ("[\"m\"]\nimage = \"big\"", "image rule `big` is not one of"),
    ] {
        let error = Table::shipped().with_toml(toml).unwrap_err().to_string();
        assert!(error.contains(expected), "{toml}: {error}");
    }
    let error = Table::shipped().with_csv("model,context\nm,many\n").unwrap_err().to_string();
    assert!(error.contains("model table, line 2") && error.contains("separated by commas"), "{error}");
    assert!(Table::shipped().with_csv("model,context\n,5\n").is_err());
}

#[test]
fn a_price_that_nobody_charges_is_refused_with_its_field() {
    for (written, shown) in [("-3.0", "-3"), ("inf", "inf"), ("nan", "NaN")] {
        for field in ["input_per_m", "cache_write_per_m", "surcharge_input_per_m", "cache_long_write_x"] {
            let toml = format!("[\"mine\"]\ncontext = 1000\n{field} = {written}\n");
            let error = Table::shipped().with_toml(&toml).unwrap_err().to_string();
            assert_eq!(
                error,
                format!(
                    "models file: model `mine`: `{field}` is {shown}, which nobody charges; write a number from 0 on"
                )
            );
        }
    }
}

#[test]
fn the_cliff_of_ones_own_entry_ends_the_window() {
    let own = |over: usize| {
        let toml = format!("[\"gemini-2.5-pro\"]\nsurcharge_over = {over}\n");
        Table::shipped().with_toml(&toml).unwrap().resolve("gemini-2.5-pro").model
    };
    assert_eq!(own(100_000).cliff(), Some(100_000));
    assert_eq!(own(1_048_576).cliff(), Some(1_048_576), "what the entry leaves out stays");
    let usable = |model: &Model| Budget::of(model, Rules::default()).unwrap().usable;
    assert_eq!(usable(&own(100_000)), 93_000);
    assert!(usable(&own(1_048_576)) > 1_000_000);
}
