import type { NewEvent } from '@panoptes/schema'

const START = Date.UTC(2026, 8, 15, 7, 30)
const STEP_MS = 20
const WORDS = ['fix', 'the', 'tests', 'of', 'reader', 'parse', 'module', 'why', 'slow', 'page', 'ledger']

const sentence = (seed: number): string =>
  Array.from({ length: 12 }, (_, n) => WORDS[(seed * 7 + n * (seed + 3)) % WORDS.length]).join(' ')

type Told = { readonly event: string; readonly session_id: string } & Readonly<Record<string, unknown>>

const stored = (told: Told, at: number): NewEvent => ({
  v: 1,
  key: `crowd:${at}`,
  ts: START + at * STEP_MS,
  source: 'claude-code',
  host: 'studio',
  ...told,
})

/** Creates events of very many agents, ten per session, that never end and work in turn. */
export function* crowd(agents: number, events: number): Generator<NewEvent, void, undefined> {
  const sessions = Math.ceil(agents / 10)
  for (let at = 0; at < events; at += 1) {
    const helper = at - sessions
    if (helper < 0) yield stored({ event: 'prompt', session_id: `s${at}`, prompt_preview: sentence(at) }, at)
    else if (helper < agents) yield stored(born(helper, sessions), at)
    else yield stored(works(helper % agents, sessions, Math.floor(helper / agents)), at)
  }
}

const born = (helper: number, sessions: number): Told => ({
  event: 'agent_spawn',
  session_id: `s${helper % sessions}`,
  id: `a${helper}`,
  parent_id: 'main',
  subagent_type: 'Explore',
  prompt_preview: sentence(helper),
})

const works = (helper: number, sessions: number, turn: number): Told => ({
  event: turn % 2 === 1 ? 'tool_use' : 'tool_done',
  session_id: `s${helper % sessions}`,
  agent_id: `a${helper}`,
  id: `t${helper}:${Math.ceil(turn / 2)}`,
  tool: 'Bash',
  ...(turn % 2 === 1
    ? { input_preview: `npm run check -- ${sentence(helper + turn)}` }
    : { ok: true, duration_ms: 20 }),
})

const STINT = ['prompt', 'tool_use', 'tool_done', 'tool_use', 'tool_done', 'session_end'] as const

/** Creates events of very many sessions that end after a few calls and continue much later. */
export function* comings(sessions: number, events: number): Generator<NewEvent, void, undefined> {
  for (let at = 0; at < events; at += 1) {
    const event = STINT[at % STINT.length] ?? 'prompt'
    const stint = Math.floor(at / STINT.length)
    yield stored(
      {
        event,
        session_id: `s${stint % sessions}`,
        ...(event === 'prompt' ? { prompt_preview: sentence(stint) } : {}),
        ...(event.startsWith('tool') ? { agent_id: 'main', id: `t${Math.ceil(at / 2)}`, tool: 'Bash' } : {}),
        ...(event === 'tool_done' ? { ok: true } : {}),
      },
      at * 4,
    )
  }
}
