import {
  type EventKind,
  eventKind,
  type FieldsOf,
  type Forwarded,
  isName,
  type NewEvent,
  type StoredEvent,
} from '@panoptes/schema'

/** Whether a field travels where no words do; a text goes in its place. */
type Travels = boolean | 'failed'

/** Every field of every kind, so that a new one is decided on before it can leave this computer. */
const TRAVELS: { readonly [K in EventKind]: { readonly [F in keyof FieldsOf<K>]-?: Travels } } = {
  session_start: { agent_id: true, cwd: false, project: true, title: false, model: true, reason: true },
  session_end: { reason: true },
  prompt: { id: true, agent_id: true, prompt_preview: false },
  agent_spawn: {
    id: true,
    parent_id: true,
    subagent_type: true,
    model: true,
    branch: false,
    prompt_preview: false,
    background: true,
  },
  agent_link: {
    id: true,
    parent_id: true,
    tool_use_id: true,
    subagent_type: true,
    model: true,
    prompt_preview: false,
    background: true,
    status: true,
    outcome: true,
  },
  agent_wait: { agent_id: true, reason: false },
  agent_stuck: { agent_id: true, silent_ms: true, usual_ms: true },
  agent_lost: { agent_id: true, reason: false },
  agent_done: {
    id: true,
    outcome: true,
    stubs: true,
    duration_ms: true,
    tool_use_count: true,
    cost_usd: true,
    error: 'failed',
  },
  tool_use: { id: true, agent_id: true, subagent_type: true, tool: true, input_preview: false },
  tool_done: {
    id: true,
    agent_id: true,
    subagent_type: true,
    tool: true,
    ok: true,
    duration_ms: true,
    error_preview: false,
  },
  tool_refused: { id: true, agent_id: true, tool: true },
  skill_use: { id: true, agent_id: true, skill: true, success: true, duration_ms: true, trajectory_id: true },
  usage: {
    id: true,
    agent_id: true,
    model: true,
    input: true,
    output: true,
    cache_read: true,
    cache_write: true,
    reasoning: true,
    cost_usd: true,
    cost_status: true,
  },
  taken_back: {
    agent_id: true,
    of: true,
    id: true,
    input: true,
    output: true,
    cache_read: true,
    cache_write: true,
    cost_usd: true,
    message_id: true,
    claims: true,
  },
  status: { agent_id: true, shipped: true, stubs: true, verified: false, checks: false, follow_ups: false },
  claim: { agent_id: true, value: false, tier: true, pointer: false, place: true, message_id: true },
  bypass: { claims: true, skills: true },
  budget: { budget: true, level: true, spent_usd: true, limit_usd: true },
}

/** What captures write beside the vocabulary, and who lives is judged by. */
const word = (value: unknown): boolean => typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value)
const BESIDE: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  agent_wait: { wait: word, call: isName, tool: isName },
  forward_lost: { lost: Number.isSafeInteger },
  answer: { wait: word, call: isName, tool: isName, choice: word },
}
const ANYWHERE: Readonly<Record<string, (value: unknown) => boolean>> = {
  agent_id: isName,
  prompt_id: isName,
  from_hook: (value) => value === true,
  via: (value) => value === 'transcript' || value === 'otlp',
}

/** Conversations with Panoptes itself are their owner's: of them nobody else hears words, whatever travels. */
const OWN = 'panoptes'

/** What of a stored event leaves this computer, before secrets are taken out of it. */
export function travelling(event: StoredEvent, what: Forwarded): NewEvent {
  const { seq: _seq, ...whole } = event
  return what === 'events' || event.source === OWN ? withoutWords(whole) : whole
}

function withoutWords(event: NewEvent): NewEvent {
  const { v, key, ts, event: kind, source, host, session_id } = event
  const known = eventKind(kind)
  const rules: Readonly<Record<string, Travels>> = known === undefined ? {} : TRAVELS[known]
  const beside = Object.hasOwn(BESIDE, kind) ? BESIDE[kind] : undefined
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined || value === null) continue
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === true) fields[name] = value
    else if (typeof rule === 'string' && value !== '') fields[name] = rule
    else if (rule === undefined && isBeside(beside, name, value)) fields[name] = value
  }
  return { v, key, ts, event: kind, source, host, session_id, ...fields }
}

const isBeside = (beside: (typeof BESIDE)[string] | undefined, name: string, value: unknown): boolean =>
  (beside !== undefined && Object.hasOwn(beside, name) && beside[name]?.(value) === true) ||
  (Object.hasOwn(ANYWHERE, name) && ANYWHERE[name]?.(value) === true)
