import type {
  ListedPreset,
  MoaTurn,
  PresetsReply,
  SlotStats,
  TraceRecord,
  TurnAnalysis,
  TurnReply,
  TurnSlot,
} from '@panoptes/schema'

const BEGIN = 1_794_000_127_000

export const usage = (input: number, output: number, cached = 0): NonNullable<TurnSlot['usage']> => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: cached,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
})

/** A successful reference; its times are milliseconds since the turn began. */
export const slot = (fields: Partial<TurnSlot> & Pick<TurnSlot, 'model'>): TurnSlot => ({
  role: 'reference',
  label: `${fields.provider ?? 'claude'}:${fields.model}`,
  provider: 'claude',
  started_at: BEGIN,
  first_token_at: BEGIN + 500,
  ended_at: BEGIN + 2_000,
  usage: usage(6_100, 300),
  cost_micro_usd: 20_000,
  error: null,
  iteration: null,
  output_chars: 120,
  ...fields,
})

export const acts = (iteration: number, from: number, to: number, fields: Partial<TurnSlot> = {}): TurnSlot =>
  slot({
    role: 'aggregator',
    model: 'claude-opus-4-8',
    label: 'claude:claude-opus-4-8',
    started_at: BEGIN + from,
    first_token_at: BEGIN + from + Math.min(700, (to - from) / 2),
    ended_at: BEGIN + to,
    usage: usage(1_200, 388, 1_854),
    cost_micro_usd: 118_000,
    iteration,
    ...fields,
  })

const advised = (
  model: string,
  first: number,
  end: number,
  out: number,
  cost: number | null,
  provider = 'claude',
) =>
  slot({
    model,
    provider,
    label: `${provider}:${model}`,
    started_at: BEGIN + 10,
    first_token_at: BEGIN + first,
    ended_at: BEGIN + end,
    usage: usage(6_100, out),
    cost_micro_usd: cost,
  })

/** A turn with four references, one of them unpriced, and an answer after twenty calls. */
export const turn = (fields: Partial<MoaTurn> = {}): MoaTurn => ({
  id: '3f2a91bc-0d6f-4b21-9a53-6c1f5ce20a11',
  session_id: 'api-1f0c2b3a4d5e6f70',
  preset: 'review',
  from: 'gateway',
  replay_of: null,
  started_at: BEGIN,
  ended_at: BEGIN + 9_400,
  status: 'done',
  question: 'Is it safe to drop invoice_totals in the release that stops writing to it?',
  iterations: 20,
  overhead_ms: 10,
  cost_micro_usd: 224_000,
  cost_unknown: 1,
  traced: true,
  slots: [
    advised('claude-opus-4-8', 1_100, 4_800, 412, 81_000),
    advised('claude-sonnet-4-6', 600, 3_100, 268, 22_000),
    advised('local-32b', 2_200, 6_000, 96, null, 'local'),
    advised('claude-haiku-4-5', 300, 1_400, 121, 3_000),
    acts(1, 6_010, 9_400),
  ],
  ...fields,
})

export const TEXTS = [
  'No. A rolling deploy leaves old processes writing for minutes. Drop it one release later. Before that, revoke write access and watch for errors for a day. Keep a dump.',
  'Not in one step. Rename the table first; a rename is undone in a second, a drop is not. Then drop it in the next release. Check the reporting job, it reads the table nightly.',
  'It is safe if the migration runs after the deploy. Order the steps so that the new code is live first.',
  'Wait one release. Also search other services for the table name before you drop it.',
] as const

export const ANSWER =
  'No, take two releases. A rolling deploy leaves old processes writing for minutes, so this one should only stop the writes. Rename the table first, revoke write access and watch for errors for a day, and search other services for the table name. Drop it next release, with a dump kept.'

const SHARED: readonly (readonly [reference: number, text: string])[] = [
  [0, 'A rolling deploy leaves old processes writing for minutes'],
  [1, 'Rename the table first'],
  [0, 'revoke write access and watch for errors'],
  [3, 'search other services for the table name'],
]

export const analysis: TurnAnalysis = {
  drew_on: [0.38, 0.31, 0, 0.12],
  phrases: SHARED.map(([reference, text]) => {
    const [answer_from, reference_from] = [ANSWER.indexOf(text), (TEXTS[reference] ?? '').indexOf(text)]
    return {
      reference,
      text,
      answer_from,
      answer_to: answer_from + text.length,
      reference_from,
      reference_to: reference_from + text.length,
    }
  }),
  points: [
    { text: 'Wait one release', stances: ['says', 'says', 'opposes', 'says'] },
    { text: 'Make it easy to undo first', stances: ['says', 'says', 'silent', 'silent'] },
    { text: 'Others may read the table', stances: ['silent', 'says', 'silent', 'says'] },
    { text: 'Watch for errors a day', stances: ['says', 'silent', 'silent', 'silent'] },
    { text: 'Keep a dump', stances: ['says', 'silent', 'silent', 'silent'] },
  ],
  says: '3 of 4 agree',
}

const GUIDANCE = `[Mixture of Agents, preset review. You are the acting model, claude:claude-opus-4-8. 4 references advise. What follows is private context.]\n\n${TEXTS.map((text, i) => `Reference ${i + 1}\n${text}`).join('\n\n')}`

const MESSAGES = [
  {
    role: 'system',
    content: 'You are reviewing a change in atlas-api. Answer briefly, and say what you looked at.',
  },
  { role: 'user', content: turn().question },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'Grep', arguments: '{"pattern":"invoice_totals"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', content: '14 matches in 6 files' },
]

/** The record of one aggregator call. */
export function record(
  of: MoaTurn,
  iteration: number,
  fields: Partial<TraceRecord['aggregator']> = {},
): TraceRecord {
  const references = of.slots.filter(({ role }) => role === 'reference')
  const seen = iteration === 1 ? MESSAGES.slice(0, 2) : MESSAGES
  return {
    ts: of.started_at / 1_000,
    session_id: of.session_id,
    preset: of.preset,
    references:
      iteration > 1
        ? []
        : references.map((one, place) => ({
            label: one.label,
            model: one.model,
            provider: one.provider,
            temperature: null,
            input_messages: MESSAGES.slice(0, 2),
            output: one.error ? `[failed: ${one.error.message}]` : (TEXTS[place % TEXTS.length] ?? ''),
            usage: one.usage ?? {},
            cost_usd: one.cost_micro_usd === null ? null : one.cost_micro_usd / 1_000_000,
            cost_status: null,
            cost_source: null,
            started_at: one.started_at,
            first_token_at: one.first_token_at,
            ended_at: one.ended_at,
            error: one.error?.class ?? null,
          })),
    aggregator: {
      label: 'claude:claude-opus-4-8',
      model: 'claude-opus-4-8',
      provider: 'claude',
      temperature: null,
      input_messages: [...seen, { role: 'user', content: GUIDANCE }],
      output: ANSWER,
      streamed: true,
      output_location: 'inline_from_stream',
      usage: usage(1_200, 388, 1_854),
      cost_usd: 0.118,
      started_at: BEGIN + 6_010,
      first_token_at: BEGIN + 6_700,
      ended_at: BEGIN + 9_400,
      error: null,
      guidance: 'message',
      ...fields,
    },
    turn_id: of.id,
    iteration,
    status: 'done',
  }
}

export const turnReply = (of: MoaTurn = turn()): TurnReply => ({
  turn: of,
  records: [
    record(of, 1, { output: '', tool_calls: [MESSAGES[2]?.tool_calls?.[0]] }),
    record(of, 2, { output: ANSWER }),
  ],
  replays: [],
  analysis,
})

const preset = (models: readonly string[]): ListedPreset['preset'] => ({
  enabled: true,
  reference_models: models.map((model) => ({ provider: 'claude', model, enabled: true })),
  aggregator: { provider: 'claude', model: 'claude-opus-4-8', enabled: true },
  reference_temperature: null,
  aggregator_temperature: null,
  reference_timeout: null,
  degraded_reference_policy: 'loud',
  reference_tool_result_budget: 4_000,
  fanout: 'user_turn',
  deadline: 20,
  quorum: 3,
  max_cost_usd: null,
})

export const presetsReply = (fields: Partial<PresetsReply> = {}): PresetsReply => ({
  presets: [
    {
      name: 'review',
      preset: preset(['claude-opus-4-8', 'claude-sonnet-4-6', 'claude-haiku-4-5']),
      from: 'config',
      problems: [],
    },
    { name: 'quick', preset: preset(['claude-haiku-4-5']), from: 'config', problems: [] },
    {
      name: 'night',
      preset: preset(['claude-sonnet-4-6', 'claude-sonnet-4-6']),
      from: 'hermes',
      problems: ['aggregator: The provider nowhere is not there.'],
    },
  ],
  default_preset: 'review',
  save_traces: true,
  trace_dir: '~/.panoptes/moa-traces',
  providers: [
    {
      name: 'claude',
      kind: 'anthropic',
      base_url: 'https://api.anthropic.com',
      from: 'config',
      key: 'ANTHROPIC_API_KEY',
      has_key: true,
    },
    {
      name: 'local',
      kind: 'openai',
      base_url: 'http://127.0.0.1:11434/v1',
      from: 'local',
      key: null,
      has_key: false,
    },
  ],
  ...fields,
})

/** Pseudo-random numbers that are the same in every run. */
const noise = (i: number, seed: number): number => Math.abs(Math.sin(i * 12.9898 + seed * 78.233))

export function slotsReply(of: MoaTurn = turn()): SlotStats[] {
  return of.slots
    .filter(({ role, iteration }) => role === 'reference' || iteration === 1)
    .map((one, place): SlotStats => {
      const own = (one.ended_at ?? 0) - one.started_at
      const fails = one.provider === 'local' ? 9 : place === 0 ? 31 : 1_000
      const times = Array.from({ length: 50 }, (_, i) =>
        i % fails === fails - 1 ? null : Math.round(own * (0.6 + 0.8 * noise(i, place))),
      )
      times[49] = one.error === null ? own : null
      const good = times.filter((ms) => ms !== null).sort((a, b) => a - b)
      return {
        role: one.role,
        label: one.label,
        calls: 50,
        failed: times.length - good.length,
        p50_ms: good[Math.floor(good.length / 2)] ?? null,
        p95_ms: good[Math.floor(good.length * 0.95)] ?? null,
        cost_micro_usd: one.cost_micro_usd,
        times_ms: times,
      }
    })
}

const QUESTIONS = [
  'Is it safe to drop invoice_totals in the release that stops writing to it?',
  'Why does the retry queue lose its last job when the worker is stopped?',
  'Which of the three index plans is cheapest for the nightly report?',
  'Write the migration, and say how it is undone.',
]

/** Turns of one day, newest first. */
export const turns = (count: number): MoaTurn[] =>
  Array.from({ length: count }, (_, i) =>
    turn({
      id: `${(0x3f2a91bc - i).toString(16).padStart(8, '0')}-0d6f-4b21-9a53-6c1f5ce20a11`,
      started_at: BEGIN - i * 400_000,
      ended_at: BEGIN - i * 400_000 + 4_000 + Math.round(9_000 * noise(i, 3)),
      question: QUESTIONS[i % QUESTIONS.length] ?? '',
      iterations: 1 + Math.round(19 * noise(i, 5)),
      status: i % 17 === 5 ? 'failed' : i % 23 === 7 ? 'aborted' : 'done',
      cost_unknown: i % 3 === 0 ? 1 : 0,
      cost_micro_usd: Math.round(400_000 * noise(i, 9)),
      preset: i % 4 === 3 ? 'quick' : 'review',
    }),
  )

/** A turn with eight references, two of them failed, and twenty aggregator calls. */
export function crowdedTurn(): MoaTurn {
  const models = [
    'claude-opus-4-8',
    'claude-sonnet-4-6',
    'local-32b',
    'claude-haiku-4-5',
    'gpt-6-mini',
    'qwen3-coder-30b',
    'claude-haiku-4-5',
    'mistral-large',
  ]
  const references = models.map((model, place) =>
    advised(
      model,
      200 + 300 * place,
      1_400 + 900 * place,
      90 + 40 * place,
      place % 3 === 2 ? null : 4_000 * place,
    ),
  )
  const fails = (place: number, error: NonNullable<TurnSlot['error']>): void => {
    const one = references[place]
    if (one)
      references[place] = {
        ...one,
        first_token_at: null,
        usage: null,
        cost_micro_usd: null,
        output_chars: null,
        error,
      }
  }
  fails(4, {
    class: 'rate_limited',
    message: 'Too many requests: the provider asks to wait 38 s, which is longer than the deadline.',
  })
  fails(5, { class: 'timeout', message: 'No sign for 20 s: the call was given up.' })
  fails(7, { class: 'skipped', message: 'Three references were enough.' })
  const calls = Array.from({ length: 20 }, (_, i) => acts(i + 1, 7_800 + i * 2_600, 9_600 + i * 2_600))
  return turn({
    slots: [...references, ...calls],
    iterations: 20,
    ended_at: BEGIN + 60_000,
    cost_unknown: 4,
    cost_micro_usd: 2_431_000,
  })
}
