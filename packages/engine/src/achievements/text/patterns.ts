import { A_SPACE, type Pattern, SPACE_RUN, type Step } from './automaton.ts'
import { folded, lowered } from './classes.ts'

/** Metrics that count how often something is mentioned. */
export const COUNTED = {
  process_mentions: ['background*=*true'],
  traceback_events: ['traceback', 'exception'],
  log_read_events: ['gateway.log', 'errors.log', 'agent.log', '/api/logs', '|logs|'],
  permission_denied_events: ['permission denied', 'eacces', 'operation not permitted'],
  yaml_mentions: ['yaml', 'yml', 'colon', 'parse error'],
  frontend_activity_events: ['.css', '.svg', '.tsx', '.jsx', 'frontend', 'tailwind', 'react'],
  css_activity_events: ['.css', 'tailwind', 'style', 'classname', 'visual'],
  git_events: ['|git+commit', '|git+push', '|git+merge', '|git+rebase', '|git+status', '|git+diff'],
  git_history_events: [
    ...['rebase', 'merge', 'fetch', 'pull', 'push', 'tag', 'checkout'].map((what) => `|git+${what}`),
    'merge conflict',
    'conflict*(',
    'rebase --continue',
  ],
  context_events: ['compress', 'context window', 'token', 'cache'],
  gateway_events: ['gateway', 'discord', 'telegram', 'slack', 'api_server'],
  plugin_events: ['plugin', 'manifest.json'],
  rollback_events: ['rollback', 'checkpoint'],
  docs_activity_events: ['docs', 'documentation', 'docusaurus', 'readme'],
  model_events: [
    ...['model', 'provider', 'openrouter', 'codex', 'gemini', 'claude', 'anthropic', 'openai', 'mistral'],
    ...['qwen', 'deepseek', 'llama', 'vllm', 'gguf'],
  ],
  openrouter_events: ['openrouter'],
  codex_events: ['codex'],
  claude_events: ['claude', 'anthropic'],
  gemini_events: ['gemini', 'google ai', 'google model'],
  toolset_events: ['toolset', 'browser tool', 'terminal tool', 'file tool', 'web tool'],
  test_events: [
    ...['pytest', 'unittest', 'vitest', 'playwright', 'npm test', 'node --check', 'py_compile'],
    ...['test passed', 'tests passed', '|ok|'],
  ],
  screenshot_events: [
    ...['screenshot', 'playwright', 'vision_analyze', 'browser_vision', '.png', 'image data'],
  ],
  cache_events: ['cache hit', 'prompt caching', 'cache_read'],
  local_model_events: ['ollama', 'llama.cpp', 'gguf', 'vllm', 'local model', 'open-weight', 'open weight'],
  // Hermes counts a pushed tag but not one that is still to be pushed.
  release_events: ['|git+tag', 'release', 'version bump', 'changelog', 'publish', 'pushe tag', 'pushed tag'],
  config_events: ['.env|', 'manifest.json', 'settings.json', 'pyproject.toml', 'package.json'],
  env_var_error_events: ['api key', 'environment variable', 'not configured', 'unauthorized', 'auth'],
  docker_conflict_events: ['container name conflict', 'conflict. the container'],
} as const satisfies Record<string, readonly string[]>

export type CountedName = keyof typeof COUNTED
export const COUNTED_NAMES = Object.keys(COUNTED) as readonly CountedName[]

/** Conditions that are detected once, on one line, or near each other. */
const SEEN = {
  error: [
    ...[
      'error',
      'failed',
      'failure',
      'traceback',
      'exception',
      'permission denied',
      'not found',
      'eaddrinuse',
    ],
    ...['already in use', 'timed out', 'blocked'],
  ].map((word) => `|${word}|`),
  success: [
    ...['success', 'passed', 'built', 'compiled', 'done', 'verified', 'ok'].map((word) => `|${word}|`),
    ...['', '"', "'"].flatMap((quote) => [':', '='].map((is) => `|exit_code${quote}*${is}*0|`)),
  ],
  restart: ['|restart', 'reload', 'kill', 'start|'],
  tiny: ['one character', 'single character', 'typo'],
  port: ['3000', '5173', '8000', '8080', '9119'].map((port) => `|${port}|`),
  taken: ['in use', 'already', 'taken'].map((word) => `|${word}|`),
  inUse: ['|eaddrinuse|'],
  installer: ['npm', 'pnpm', 'yarn', 'pip', 'uv'].map((tool) => `|${tool}|`),
  install: ['|install|', '|add|'],
  missing: ['missing '],
  env: ['env'],
  docker: ['docker'],
  container: ['name', 'container'],
  already: ['already'],
  config: ['js', 'ts', 'yaml', 'yml'].map((kind) => `config.${kind}`),
  git: ['|git'],
  conflict: ['conflict'],
} as const satisfies Record<string, readonly string[]>

export type SeenName = keyof typeof SEEN | 'skill' | 'line'

export interface Hit {
  /** The action: count for one of `COUNTED_NAMES`, or remember that it was seen. */
  readonly counts: number | undefined
  readonly seen: SeenName | undefined
  /** The minimum length; if it varies, `since` marks the first word. */
  readonly length: number
  readonly since: 'git' | 'conflict' | undefined
  /** The match is reported one character late, after a word boundary. */
  readonly late: boolean
}

export const HITS: readonly Hit[] = []
export const PATTERNS: readonly Pattern[] = []

function add(written: string, what: Pick<Hit, 'counts' | 'seen'>, letters = folded): void {
  const late = written.length > 1 && written.endsWith('|')
  const word = written.startsWith('|')
  const body = written.slice(word ? 1 : 0, late ? -1 : undefined)
  const varies = /[+*]/.test(body)
  const since = varies && word ? 'git' : varies && body.startsWith('conflict') ? 'conflict' : undefined
  const length = body.replace(/[+*]/g, '').length
  const hit = (HITS as Hit[]).push({ ...what, length, since, late }) - 1
  const steps = Array.from(body).flatMap((char): readonly Step[] => {
    if (char === '*') return [SPACE_RUN]
    if (char === '+') return [A_SPACE, SPACE_RUN]
    return [{ on: letters(char), many: false }]
  })
  const begins = word ? (letters === folded ? 'word' : 'lowered-word') : 'anywhere'
  ;(PATTERNS as Pattern[]).push({ hit, begins, steps, endsWord: late })
}

// Markers come first, because a count may depend on one.
for (const [seen, all] of Object.entries(SEEN)) {
  for (const written of all) add(written, { counts: undefined, seen: seen as SeenName })
}
for (const [index, name] of COUNTED_NAMES.entries()) {
  for (const written of COUNTED[name]) add(written, { counts: index, seen: undefined })
}
add('|skill', { counts: undefined, seen: 'skill' }, lowered)

export const LINE_HIT: number =
  (HITS as Hit[]).push({ counts: undefined, seen: 'line', length: 1, since: undefined, late: false }) - 1
