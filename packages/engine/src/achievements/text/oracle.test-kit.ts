/**
 * The same facts by one plain, slow regular expression each, with Python's definitions of words and
 * spaces.
 */
const W = '[\\p{L}\\p{N}_]'
const S = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const BEGIN = `(?<!${W})(?=${W})`
const END = `(?<=${W})(?!${W})`
const EDGE = `(?:${BEGIN}|${END})`
const ANY = '[^\\n]'

/** Adds the case folding that JavaScript lacks: i and s have non-ASCII equivalents, k has one. */
const fold = (source: string): string =>
  source.replaceAll(/(\\.)|\[[^\]]*\]|i|s|k/g, (found) => {
    if (found === 'i') return '[iI\u0130\u0131]'
    if (found === 's') return '[sS\u017f]'
    if (found === 'k') return '[kK\u212a]'
    return found
  })

const pattern = (source: string): RegExp =>
  new RegExp(
    fold(source)
      .replaceAll('<B>', BEGIN)
      .replaceAll('<E>', END)
      .replaceAll('<EDGE>', EDGE)
      .replaceAll('<SP>', S)
      .replaceAll('<ANY>', ANY),
    'giu',
  )

const ERROR = pattern(
  '<B>(?:error|failed|failure|traceback|exception|permission denied|not found|eaddrinuse|already in use|timed out|blocked)<E>',
)

const COUNTED = {
  process_mentions: 'background<SP>*=<SP>*true',
  traceback_events: 'traceback|exception',
  log_read_events: 'gateway\\.log|errors\\.log|agent\\.log|/api/logs|<B>logs<E>',
  permission_denied_events: 'permission denied|eacces|operation not permitted',
  yaml_mentions: 'yaml|yml|colon|parse error',
  frontend_activity_events: '\\.(?:css|svg|tsx|jsx)|frontend|tailwind|react',
  css_activity_events: '\\.css|tailwind|style|classname|visual',
  git_events: '<B>git<SP>+(?:commit|push|merge|rebase|status|diff)',
  git_history_events:
    '<B>git<SP>+(?:rebase|merge|fetch|pull|push|tag|checkout)|merge conflict|conflict<SP>*\\(|rebase --continue',
  context_events: 'compress|context window|token|cache',
  gateway_events: 'gateway|discord|telegram|slack|api_server',
  plugin_events: 'plugin|dashboard-plugins|__hermes_plugin|manifest\\.json',
  rollback_events: 'rollback|checkpoint',
  docs_activity_events: 'docs|documentation|docusaurus|readme',
  model_events:
    'model|provider|openrouter|codex|gemini|claude|anthropic|openai|mistral|qwen|deepseek|llama|ollama|vllm|gguf',
  openrouter_events: 'openrouter',
  codex_events: 'codex',
  claude_events: 'claude|anthropic',
  gemini_events: 'gemini|google ai|google model',
  toolset_events: 'toolset|enabled_toolsets|browser tool|terminal tool|file tool|web tool',
  config_events:
    'config\\.ya?ml|<EDGE>[a-z0-9_\\-\u017f\u212a\u0130\u0131]+config\\.(?:js|ts|json|yaml|yml)|\\.env<E>|manifest\\.json|settings\\.json|pyproject\\.toml|package\\.json',
  test_events:
    'pytest|unittest|vitest|playwright|npm test|pnpm test|node --check|py_compile|tests? passed|<B>ok<E>',
  screenshot_events: 'screenshot|playwright|vision_analyze|browser_vision|\\.png|image data',
  cache_events: 'cache hit|prompt caching|cache_read',
  local_model_events: 'ollama|llama\\.cpp|gguf|vllm|local model|open[- ]weight|open weights',
  release_events: '<B>git<SP>+tag|release|version bump|changelog|publish|pushed? tag',
  env_var_error_events: 'missing <ANY>*env|api key|environment variable|not configured|unauthorized|auth',
  docker_conflict_events:
    'docker<ANY>*(?:name|container)<ANY>*already|container name conflict|conflict\\. the container',
}

const PATTERNS = Object.entries(COUNTED).map(([name, source]) => [name, pattern(source)] as const)
const SUCCESS = pattern(
  '<B>(?:success|passed|built|compiled|done|exit_code["\']?<SP>*[:=]<SP>*0|verified|ok)<E>',
)
const RESTART = pattern('<B>restart|reload|kill|start<E>')
const TINY = pattern('one character|single character|typo')
const PORT = pattern(
  '<B>(?:3000|5173|8000|8080|9119)<E><ANY>*<B>(?:in use|already|taken|eaddrinuse)<E>|<B>eaddrinuse<E>',
)
const INSTALL = pattern('<B>(?:npm|pnpm|yarn|pip|uv)<E><ANY>*<B>(?:install|add)<E>')
const SKILL = new RegExp(`(?<!${W})skill`, 'gu')

const has = (text: string, one: RegExp): boolean => text.search(one) >= 0
const count = (text: string, one: RegExp): number => text.match(one)?.length ?? 0

export function plainFacts(messages: readonly string[]) {
  const text = messages.join('\n')
  return {
    errors: messages.filter((message) => has(message, ERROR)).length,
    counts: Object.fromEntries(PATTERNS.map(([name, one]) => [name, count(text, one)])),
    skills: count(text.replaceAll('\u0130', 'i\u0307').toLowerCase(), SKILL),
    success: has(text, SUCCESS),
    restart: has(text, RESTART),
    tiny: has(text, TINY),
    portConflict: has(text, PORT),
    install: has(text, INSTALL),
  }
}

const FILE =
  /(?:\/home\/|~\/?|\.\/|\/mnt\/)[\p{L}\p{N}_./-]+\.(?:py|js|ts|tsx|jsx|css|html|md|json|yaml|yml|svg|sql|sh)/gu

export const plainFiles = (text: string): readonly string[] => [...new Set(text.match(FILE) ?? [])].sort()
