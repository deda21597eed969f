/** The initial text of `config.yaml`. A test compares it with the defaults of the schema. */
export const DEFAULT_CONFIG = `# Panoptes settings. Every line is optional; the values here are the defaults.
# Edit this file or run "panoptes config set KEY VALUE". "panoptes config check" lists errors.
# Panoptes reads this file when it starts, so restart it after a change.

server:
  # The address to listen on. Any address other than 127.0.0.1, ::1 and localhost is open to the network
  # and takes effect only if "panoptes up --host" confirms it.
  host: 127.0.0.1
  # The port. 0 picks a free one.
  port: 8201
  # Additional host names of the page, such as [panoptes.lan].
  allowed_hosts: []

retention:
  # Events older than this many days are deleted; outcomes and costs stay. null keeps events forever.
  max_age_days: 90
  # The oldest events are deleted when the store file exceeds this size in megabytes. null sets no limit.
  # A hub uses team.max_size_mb instead.
  max_size_mb: 2048
  # The index leaves out sessions that were last active more than this many days ago, even if agents still have
  # them. null includes every session that agents have.
  sessions_max_age_days: null

archive:
  # Keep the messages of past sessions, so that you can read and search them after an agent has deleted its files.
  # false archives nothing new; sessions that are already in the archive stay until you forget them.
  enabled: true
  # Also keep the files of sessions byte for byte, so that "panoptes sessions restore" can bring back a session that
  # its agent has deleted. Secrets stay in them. Only you can read them, and they never leave this computer.
  originals: false
  # Projects to leave out: their names, or the paths of their folders. Panoptes also removes what it has already archived.
  exclude: []
  # Sessions that their agent has deleted are removed this many days after their last activity. null keeps them.
  keep_days: null
  # When the archive exceeds this size in megabytes, the oldest of the sessions that agents have deleted are removed.
  # null sets no limit.
  max_size_mb: 4096

capture:
  # Follow the files that agents write (Claude Code transcripts, the state.db of Hermes), so that Live works without
  # hooks. Panoptes never writes to these files.
  transcripts: true

live:
  # Seconds that a permission request waits for an answer on the page before the agent shows its own prompt.
  # 0 turns this off.
  answer_seconds: 0
  # A command to run when an agent is waiting, is stuck or has failed. It gets the event as JSON on stdin, and PANOPTES_EVENT,
  # PANOPTES_AGENT, PANOPTES_SESSION and PANOPTES_REASON in its environment. null runs none.
  notify_command: null

achievements:
  # Time zone for weekends and nights, such as Europe/Berlin. null uses the time zone of this computer.
  time_zone: null
  # Web pages of other programs that may read the achievements of Hermes, and nothing else, such as
  # [http://127.0.0.1:9119]. "panoptes achievements install-hermes-tab" adds the Hermes dashboard here.
  allowed_origins: []

templates:
  # Share of new sessions that get a template, from 0 to 1. Sessions are chosen at random, so that you can compare
  # sessions with and without one. null gives a template to every session with a match.
  experiment: null
  # Tools that Panoptes does not know, with their type of work: code, file, research or terminal. Example:
  #   run_notebook: code
  tools: {}

skills:
  # Success rates cover this many days.
  window_days: 30
  # validated: more uses than this, and a rate over that.
  validated_over_uses: 20
  validated_over_rate: 0.9
  # re-extract: more uses than this, and a rate under that.
  re_extract_over_uses: 5
  re_extract_under_rate: 0.6
  # archive: not used for this many days.
  archive_after_days: 30
  # Additional skill folders, besides those of Claude Code and Hermes.
  folders: []

budgets:
  # Spending limits in dollars per day, week, month or session, optionally for one project or agent. Example:
  #   - { per: day, usd: 25 }
  #   - { per: week, project: atlas-api, usd: 75 }
  #   - { per: session, usd: 10 }
  limits: []
  # Share of a budget at which Panoptes first alerts you. It alerts you again when the budget is used up.
  warn_at: 0.8
  # A command to run for each alert. It gets the event as JSON on stdin, and PANOPTES_BUDGET, PANOPTES_LEVEL,
  # PANOPTES_SPENT and PANOPTES_LIMIT in its environment. null runs none.
  command: null

# Model providers. Providers with a key in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY …) and
# local ones (Ollama, LM Studio, vLLM) are found automatically. Example:
#   local:  { kind: openai, base_url: http://127.0.0.1:11434/v1 }
#   claude: { kind: anthropic, api_key_env: ANTHROPIC_API_KEY }
providers: {}

moa:
  # The default preset. null uses the first one.
  default_preset: null
  active_preset: null
  # Save a trace of every turn: the input, output and cost of each model.
  save_traces: false
  # The folder for traces; ~ and $VARIABLES are expanded. null uses moa-traces in this folder.
  trace_dir: null
  # A trace file is rotated when it exceeds this size in megabytes; one older file is kept.
  trace_max_mb: 64
  # Total size of all trace files in megabytes; the oldest are deleted first.
  trace_dir_max_mb: 2048
  # '' is off. display removes secrets, email addresses and phone numbers from answers and traces; full also removes
  # them from the input of the acting model.
  privacy_filter: ''
  # Also use the presets in the config.yaml of Hermes.
  from_hermes: false
  # Several models advise, one acts. Any client of the OpenAI API can use "moa/NAME" as a model. Example:
  #   review:
  #     reference_models: [{ provider: local, model: small }, { provider: claude, model: claude-haiku-4-5 }]
  #     aggregator: { provider: claude, model: claude-sonnet-4-6 }
  presets: {}

runtimes:
  # The default chat runtime: jarvis, hermes or "acp:NAME". null uses the first that is ready.
  default: null
  # The built-in runtime: a model such as { provider: local, model: small }, or a preset such as { preset: review }. null
  # uses the first model found.
  jarvis: null
  # Hermes over its API server, such as { url: http://127.0.0.1:8642, api_key_env: API_SERVER_KEY }, or with a command, such
  # as { command: [hermes, acp] }. null uses the Hermes found on this computer.
  hermes: null
  # ACP agents, by a name you choose. Example:
  #   claude: { command: [npx, "@agentclientprotocol/claude-agent-acp"] }
  acp: {}

chat:
  # Let a model refine the plan of a message. Otherwise only rules create it.
  refine_plan: false
  # Maximum number of tokens sent with a message, including context.
  budget_tokens: 32000
  # Seconds that a permission request of a runtime waits for an answer. Without one, it is denied.
  approval_seconds: 300
  # Folders with Markdown or text files to search for context, such as [~/notes].
  knowledge: []
  # The working folder of runtimes, and the project whose skills they use. null uses your home folder.
  folder: null

# MCP servers whose tools Jarvis can use, by a name you choose. Jarvis asks before it uses a tool not listed in "allow". Example:
#   files: { command: npx, args: [some-mcp-server, /data], allow: [read_file] }
mcp_servers: {}

team:
  # The database that all hubs share, such as postgres://panoptes@db/panoptes. null stores everything in this folder.
  # "panoptes up --store" and PANOPTES_LEDGER override it. Pass a password in the environment if you can.
  ledger: null
  # A bus that buffers events before the database, such as nats://127.0.0.1:4222, for very many agents. null uses none.
  bus: null
  # Maximum size in megabytes of the waiting events of each space. NATS reserves this space when it starts.
  bus_max_mb: 1024
  # The space of the agents on this computer.
  space: main
  # The address people use to reach the hubs through a proxy, such as https://panoptes.example.
  public_url: null
  # Addresses or networks of proxies on other computers whose X-Forwarded-For header is trusted, such as [10.0.0.5] or
  # [172.16.0.0/12]. A proxy on this computer is always trusted.
  trusted_proxies: []
  # An OpenID Connect provider for sign-in. With null, people sign in with a link or a token. Example:
  #   sign_in: { issuer: https://login.example, client_id: panoptes, client_secret_env: OIDC_SECRET, domains: [example.com] }
  sign_in: null
  # Rate limit per token and hub: sustained requests per second, and burst.
  rate_per_second: 100
  rate_burst: 1000
  # The oldest events are deleted when the event log of a space exceeds this size in megabytes. Sessions and conversations
  # do not count. null sets no limit.
  max_size_mb: null
  # Days to keep audit log entries. null keeps them forever.
  audit_days: 365

forward:
  # The hub that this computer forwards to, such as https://panoptes.example. null turns forwarding off.
  to: null
  # The file with the token. null uses tokens/forward in this folder.
  token_file: null
  # What to send: events (who did what and when, without content), metadata (with short excerpts) or transcripts (complete
  # sessions). Secrets are always removed first.
  what: metadata
  # Maximum size in megabytes of events waiting to be sent. Beyond it the oldest are dropped, and "panoptes status" reports it.
  max_waiting_mb: 4096
  # Upload limit in kilobytes per second. null sets no limit.
  max_kb_per_second: null

# Where achievement files are stored: panoptes (in this folder) or hermes (in the folder the installed Hermes reads:
# plugins/hermes-achievements up to 0.19, plugin-data/hermes-achievements since). Panoptes refuses hermes while the
# Hermes plugin has files there, unless layout_force is true, which overwrites them.
layout: panoptes
layout_force: false

# Prices in dollars per million tokens, by model name as agents write it. They override the built-in prices. Usage of a
# model without a price is unpriced, never free. Example:
#   my-model: { input: 0.5, output: 1.5, cache_read: 0.05, cache_write: 0.6 }
prices: {}

log:
  # silent, error, warn, info or debug.
  level: info
`
