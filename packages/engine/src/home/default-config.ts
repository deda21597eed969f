/** What `config.yaml` says before anybody changes it. A test holds it to the schema's defaults. */
export const DEFAULT_CONFIG = `# Settings of Panoptes. Any line may be left out: the default, as shown here, then holds.
# Change a value here, or with "panoptes config set KEY VALUE"; "panoptes config check" looks for mistakes.
# A running Panoptes reads this file when it starts.

server:
  # The address to listen on. Any other than 127.0.0.1, ::1 or localhost is open to the network,
  # and is only used when "panoptes up --host" says the same.
  host: 127.0.0.1
  # The port. 0 takes any free one.
  port: 8201
  # More names under which a browser may ask for the page, such as [panoptes.lan].
  allowed_hosts: []

retention:
  # Events older than this many days go; what they amounted to stays. null keeps them for ever.
  max_age_days: 90
  # The oldest events go when the file of the ledger grows over this many megabytes. null sets no limit. A hub has no such
  # file: there it is team.max_size_mb.
  max_size_mb: 2048
  # Past sessions last active more than this many days ago are left out of the index, also while the agents still keep
  # them. null keeps them as long as the agents do.
  sessions_max_age_days: null

capture:
  # Follow what agents write down themselves (the transcripts of Claude Code, the state.db of Hermes), so that Live shows
  # them without hooks. Nothing of theirs is ever written to.
  transcripts: true

live:
  # How long an agent that asks for permission waits for an answer from the page before its own prompt decides.
  # 0 never waits.
  answer_seconds: 0
  # A command to run when an agent waits, is stuck or failed: it gets the event as JSON on its standard input, and
  # PANOPTES_EVENT, PANOPTES_AGENT, PANOPTES_SESSION and PANOPTES_REASON in its environment. null runs none.
  notify_command: null

achievements:
  # By whose clock a weekend and a night are told, such as Europe/Berlin. null takes that of this computer.
  time_zone: null
  # Pages of other programs that may read what Hermes' sessions amount to, and nothing else, such as
  # [http://127.0.0.1:9119]. "panoptes achievements install-hermes-tab" names the dashboard of Hermes here.
  allowed_origins: []

templates:
  # The part of new sessions that gets a template, from 0 to 1; chance decides, so that sessions with and without one can
  # be compared. null gives it to every session for which one fits.
  experiment: null
  # Tools that Panoptes does not know, and the kind of work they are for: code, file, research or terminal. Such as:
  #   run_notebook: code
  tools: {}

skills:
  # Rates are over this many days.
  window_days: 30
  # validated: more uses than this, and a rate over that.
  validated_over_uses: 20
  validated_over_rate: 0.9
  # re-extract: more uses than this, and a rate under that.
  re_extract_over_uses: 5
  re_extract_under_rate: 0.6
  # archive: not used for this many days.
  archive_after_days: 30
  # More folders that hold skills, beside those of Claude Code and Hermes.
  folders: []

budgets:
  # Dollars that may be spent per day, week, month or session; of one project or agent where it is named. Such as:
  #   - { per: day, usd: 25 }
  #   - { per: week, project: atlas-api, usd: 75 }
  #   - { per: session, usd: 10 }
  limits: []
  # The part of a budget at which to say so first; the second time is when it is used up.
  warn_at: 0.8
  # A command to run then: it gets the event as JSON on its standard input, and PANOPTES_BUDGET, PANOPTES_LEVEL,
  # PANOPTES_SPENT and PANOPTES_LIMIT in its environment. null runs none.
  command: null

# Where models answer. Those whose key is in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY …) and
# those of this computer (Ollama, LM Studio, vLLM) need not be named. Such as:
#   local:  { kind: openai, base_url: http://127.0.0.1:11434/v1 }
#   claude: { kind: anthropic, api_key_env: ANTHROPIC_API_KEY }
providers: {}

moa:
  # The preset that is meant where none is named; null takes the first.
  default_preset: null
  active_preset: null
  # Write every turn down whole: what each model was sent, what it said, what it cost.
  save_traces: false
  # The folder for that; ~ and $VARIABLES are put in. null takes moa-traces in this folder.
  trace_dir: null
  # A file of traces that grows over this many megabytes is begun anew; one older one is kept.
  trace_max_mb: 64
  # All of them together have no more than this many megabytes: the oldest files go first.
  trace_dir_max_mb: 2048
  # '' changes nothing; display takes secrets, addresses and phone numbers out of what is shown and written down; full also
  # out of what the acting model is told.
  privacy_filter: ''
  # Also take the presets of Hermes' own config.yaml.
  from_hermes: false
  # Several models advise, one acts. Any client of OpenAI's API can ask for "moa/" and the name. Such as:
  #   review:
  #     reference_models: [{ provider: local, model: small }, { provider: claude, model: claude-haiku-4-5 }]
  #     aggregator: { provider: claude, model: claude-sonnet-4-6 }
  presets: {}

runtimes:
  # Who answers in a chat where nobody is named: jarvis, hermes or "acp:" and a name. null takes the first that is ready.
  default: null
  # The built-in one: a model such as { provider: local, model: small }, or several such as { preset: review }. null takes
  # the first model that is found.
  jarvis: null
  # Hermes by its API server, such as { url: http://127.0.0.1:8642, api_key_env: API_SERVER_KEY }, or by a command, such as
  # { command: [hermes, acp] }. null takes what is found on this computer.
  hermes: null
  # Agents that speak ACP, by a name of yours. Such as:
  #   claude: { command: [npx, "@agentclientprotocol/claude-agent-acp"] }
  acp: {}

chat:
  # Whether a model may refine the plan of a question; rules make it otherwise.
  refine_plan: false
  # Tokens that are sent with a message at most, all its context included.
  budget_tokens: 32000
  # How long a runtime that asks for permission waits for an answer before it is taken for a no.
  approval_seconds: 300
  # Folders of Markdown or text to look things up in, such as [~/notes].
  knowledge: []
  # Where runtimes work, and whose skills count as the project's. null takes your home folder.
  folder: null

# Servers of MCP whose tools Jarvis may use, by a name of yours. What is not named under "allow" is asked for first. Such as:
#   files: { command: npx, args: [some-mcp-server, /data], allow: [read_file] }
mcp_servers: {}

team:
  # The database that all hubs share, such as postgres://panoptes@db/panoptes. null keeps everything in this folder.
  # "panoptes up --ledger" and PANOPTES_LEDGER go before it; a password is best given in the environment.
  ledger: null
  # A stream in front of the database, such as nats://127.0.0.1:4222, for very many agents. null takes none.
  bus: null
  # What may wait there for the database, of each space. NATS keeps room for all of it from the beginning.
  bus_max_mb: 1024
  # The space that the agents of this computer are in.
  space: main
  # Where people reach the hubs, where that is the address of a proxy, such as https://panoptes.example.
  public_url: null
  # Addresses or networks of proxies on other computers that are believed where a request is from (X-Forwarded-For), such as
  # [10.0.0.5] or [172.16.0.0/12]. A proxy on this computer always is.
  trusted_proxies: []
  # A provider of OpenID Connect with which people sign in. null lets them in by a link or a token only. Such as:
  #   sign_in: { issuer: https://login.example, client_id: panoptes, client_secret_env: OIDC_SECRET, domains: [example.com] }
  sign_in: null
  # Requests that one token may make each second in the long run, and at once. Of each hub.
  rate_per_second: 100
  rate_burst: 1000
  # The oldest events go when the log of a space grows over this many megabytes; sessions and conversations beside it do not
  # count. null sets no limit.
  max_size_mb: null
  # How many days the audit log goes back. null keeps it for ever.
  audit_days: 365

forward:
  # The hub that everything of this computer is sent to, such as https://panoptes.example. null sends nothing.
  to: null
  # The file that holds the token for it. null takes tokens/forward in this folder.
  token_file: null
  # What is sent: events (who did what when, and no words), metadata (words in short as well) or transcripts (every session
  # whole). Secrets are taken out before anything is sent.
  what: metadata
  # What waits to be sent takes no more megabytes than this; then the oldest goes unsent, and "panoptes status" says so.
  max_waiting_mb: 4096
  # The most kilobytes that are sent in a second. null sets no limit.
  max_kb_per_second: null

# Where the files of achievements are: panoptes (in this folder) or hermes (plugin-data/hermes-achievements in the home of
# Hermes). The latter is refused while Hermes' own plugin has files there, unless layout_force is true: they are then
# written over.
layout: panoptes
layout_force: false

# Dollars for a million tokens, by the name of the model as agents write it. They go before the prices Panoptes knows;
# a model that has none anywhere has no cost rather than a cost of nothing. Such as:
#   my-model: { input: 0.5, output: 1.5, cache_read: 0.05, cache_write: 0.6 }
prices: {}

log:
  # silent, error, warn, info or debug.
  level: info
`
