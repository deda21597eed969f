import type { FoundSource, HealthCheck, TokenInfo, WorkLine } from '@panoptes/schema'
import type { FakeServer } from '../testing/fake-server.ts'

const source = (change: Partial<FoundSource> & Pick<FoundSource, 'id' | 'name'>): FoundSource => ({
  kind: 'agent',
  state: 'found',
  path: null,
  detail: 'Installed, no sessions yet',
  next: null,
  ...change,
})

export const sources: readonly FoundSource[] = [
  source({
    id: 'claude-code',
    name: 'Claude Code',
    path: '/home/dev/.claude',
    detail: '12 sessions',
    hooks: { connection: 'installed', problem: null, heard: { spool: null, http: null } },
  }),
  source({
    id: 'codex',
    name: 'Codex',
    state: 'absent',
    detail: 'Nothing at /home/dev/.codex',
    next: 'If it keeps its files elsewhere, set CODEX_HOME before panoptes up.',
  }),
  source({
    id: 'opencode',
    name: 'OpenCode',
    state: 'unreadable',
    path: '/home/dev/.local/share/opencode',
    detail: 'No permission to read /home/dev/.local/share/opencode',
    next: 'Let this user read /home/dev/.local/share/opencode, then start Panoptes again.',
  }),
  source({
    id: 'anthropic',
    name: 'Anthropic',
    kind: 'provider',
    state: 'absent',
    detail: 'No key in the environment',
    next: 'To use it, set ANTHROPIC_API_KEY before panoptes up.',
  }),
]

const check = (change: Partial<HealthCheck> & Pick<HealthCheck, 'id' | 'title'>): HealthCheck => ({
  state: 'ok',
  detail: 'As it should be',
  cause: null,
  next: null,
  ...change,
})

export const checks: readonly HealthCheck[] = [
  check({ id: 'node', title: 'Node', detail: 'v24.21.0' }),
  check({ id: 'npm', title: 'npm', detail: '11.6.0' }),
  check({
    id: 'config',
    title: 'Settings',
    state: 'failed',
    detail: '/home/dev/.panoptes/config.yaml',
    cause: 'Line 3: `retentoin` is not a setting',
    next: 'Correct it, then run: panoptes config check',
  }),
  check({
    id: 'hooks',
    title: 'Hooks',
    state: 'warning',
    detail: 'No agent is connected',
    cause: 'Claude Code has no hooks: Live shows it a second late, and not that it waits for you',
    next: 'Connect it with: panoptes hooks install claude-code',
  }),
]

const tokens: readonly TokenInfo[] = [
  { scope: 'full', masked: 'pn_full_…1f2e', last_used: null },
  { scope: 'ingest', masked: 'pn_ing_…9c0d', last_used: null },
  { scope: 'gateway', masked: 'pn_gw_…77aa', last_used: null },
]

/** Serves everything that the Settings page requests on a personal computer. */
export function answerSettings(server: FakeServer): void {
  server
    .on('GET /api/sources', { sources })
    .on('GET /api/health', () => ({ checked_at: Date.now() - 3_600_000, checks }))
    .on('GET /api/tokens', { tokens })
}

/** A reply of a long operation: one JSON line per update, with the result last. */
export const workReply = (...lines: readonly WorkLine[]): Response =>
  new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
    headers: { 'content-type': 'application/x-ndjson' },
  })
