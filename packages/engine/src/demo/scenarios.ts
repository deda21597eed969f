import type { EventInput } from '@panoptes/schema'

/**
 * Short event sequences that show one situation each, for tests and documentation. Events are one second
 * apart.
 */
export type Scenario = readonly EventInput[]

type Line = { readonly event: string; readonly [field: string]: unknown }

export function scenario(
  session: string,
  lines: readonly Line[],
  start = Date.UTC(2026, 8, 15, 9),
): Scenario {
  return lines.map((line, index) => ({
    v: 1 as const,
    key: `claude-code:${session}:${index}:${line.event}`,
    ts: start + index * 1_000,
    source: 'claude-code',
    host: 'studio',
    session_id: session,
    ...line,
  }))
}

/** Two helpers run side by side, one of them with its own helper, and all end well. */
export const nestedHelpers = (session: string): Scenario =>
  scenario(session, [
    {
      event: 'session_start',
      agent_id: 'main',
      project: 'atlas-api',
      title: 'Split billing out of the monolith',
    },
    { event: 'prompt', agent_id: 'main', prompt_preview: 'Move billing into its own package.' },
    {
      event: 'agent_spawn',
      id: 'a1',
      parent_id: 'main',
      subagent_type: 'invoice-port',
      model: 'claude-sonnet-5',
    },
    {
      event: 'agent_spawn',
      id: 'a2',
      parent_id: 'main',
      subagent_type: 'route-audit',
      model: 'claude-haiku-5',
    },
    { event: 'agent_spawn', id: 'a3', parent_id: 'a1', subagent_type: 'pdf-render', background: true },
    { event: 'tool_use', id: 't1', agent_id: 'a2', tool: 'Read' },
    { event: 'tool_use', id: 't2', agent_id: 'a3', tool: 'Bash' },
    { event: 'tool_done', id: 't1', agent_id: 'a2', tool: 'Read', ok: true, duration_ms: 22 },
    { event: 'tool_done', id: 't2', agent_id: 'a3', tool: 'Bash', ok: true, duration_ms: 4_100 },
    { event: 'agent_done', id: 'a3', outcome: 'functional' },
    { event: 'agent_done', id: 'a1', outcome: 'functional' },
    { event: 'agent_done', id: 'a2', outcome: 'partial', stubs: 2 },
    { event: 'session_end', reason: 'prompt_input_exit' },
  ])

/** A helper fails together with its tool, and main continues. */
export const failingHelper = (session: string): Scenario =>
  scenario(session, [
    { event: 'session_start', agent_id: 'main', project: 'atlas-api' },
    { event: 'agent_spawn', id: 'a1', parent_id: 'main', subagent_type: 'type-check' },
    { event: 'tool_use', id: 't1', agent_id: 'a1', tool: 'Bash' },
    { event: 'tool_done', id: 't1', agent_id: 'a1', tool: 'Bash', ok: false, error_preview: 'Exit code 2' },
    { event: 'agent_done', id: 'a1', outcome: 'fail', duration_ms: 221_000 },
    { event: 'prompt', agent_id: 'main', prompt_preview: 'Try it again without the cache.' },
  ])

/** One agent waits for a permission, one is stuck, one is lost. */
export const needsYou = (session: string): Scenario =>
  scenario(session, [
    { event: 'session_start', agent_id: 'main', project: 'docs-site' },
    { event: 'prompt', agent_id: 'main', prompt_preview: 'Check every link of the handbook.' },
    { event: 'agent_spawn', id: 'a1', parent_id: 'main', subagent_type: 'link-checker' },
    { event: 'agent_spawn', id: 'a2', parent_id: 'main', subagent_type: 'load-driver' },
    { event: 'agent_spawn', id: 'a3', parent_id: 'main', subagent_type: 'seed-data' },
    { event: 'agent_wait', agent_id: 'a1', reason: 'permission: WebFetch' },
    { event: 'tool_use', id: 't1', agent_id: 'a2', tool: 'Bash' },
    { event: 'agent_stuck', agent_id: 'a2', silent_ms: 400_000, usual_ms: 41_000 },
    { event: 'agent_lost', agent_id: 'a3', reason: 'no sign for 10 minutes' },
  ])
