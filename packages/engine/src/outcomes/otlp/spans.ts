import { readStatus, skillOfCall } from '@panoptes/engine/markers'
import type { Prices } from '@panoptes/engine/models'
import { type OtlpSpan, STATUS_ERROR, toAttributes } from '@panoptes/engine/otlp'
import { redactText } from '@panoptes/engine/redact'
import type { SessionRecord } from '@panoptes/engine/sources'
import type { ContentBlock, Failure, Message, Session, SessionAgent, TokenUsage } from '@panoptes/schema'
import { argumentsContent, messageContent, resultContent } from './content.ts'
import { createIds, type Ids } from './ids.ts'
import { detectProvider } from './provider.ts'

export interface SpansOptions {
  readonly source: string
  readonly session: string
  readonly records: AsyncIterable<SessionRecord>
  /** Prices for replies that do not report their cost. */
  readonly prices?: Prices | undefined
  /** Includes texts, inputs and results, without secrets. */
  readonly content?: boolean | undefined
}

const MAIN = 'main'
const MOST_OPEN = 10_000
const MOST_SEEN = 100_000
const INTERNAL = 1
const CLIENT = 3
/** The time of entries that have none, because OTLP requires one. */
const NO_TIME = 1

/**
 * Exports a past session as spans according to the GenAI conventions: `invoke_agent` for the
 * session and each of its agents, `chat` for each reply, `execute_tool` for each call. Messages are
 * processed one at a time; agents come last, when their duration is known.
 */
export async function* generateSpans(options: SpansOptions): AsyncGenerator<OtlpSpan, Failure | undefined> {
  const spans = new SessionSpans(options)
  for await (const record of options.records) {
    if (record.kind === 'failed') return record.failure
    if (record.kind === 'agent') spans.addAgent(record.agent)
    else if (record.kind === 'message') yield* spans.saw(record.message)
    else if (record.kind === 'session') spans.about = record.session
  }
  yield* spans.end()
  return undefined
}

interface Agent {
  readonly about: SessionAgent
  from: number | undefined
  to: number | undefined
  model: string | null
  input: string | undefined
  marker: { readonly shipped: string; readonly stubs: number | null } | undefined
}

interface OpenCall {
  readonly agent: string
  readonly tool: string
  readonly ts: number
  readonly attributes: Attributes
}

type Attributes = Parameters<typeof toAttributes>[0]
type Result = Extract<ContentBlock, { type: 'tool_result' }>

class SessionSpans {
  about: Session | undefined
  readonly #options: SpansOptions
  readonly #ids: Ids
  readonly #agents = new Map<string, Agent>()
  readonly #open = new Map<string, OpenCall>()
  readonly #seen = new Set<string>()
  #n = 0

  constructor(options: SpansOptions) {
    this.#options = options
    this.#ids = createIds(options.source, options.session)
  }

  addAgent(about: SessionAgent): void {
    const existing = this.#agents.get(about.id)
    this.#agents.set(about.id, { ...(existing ?? NEW), about })
  }

  *saw(message: Message): Generator<OtlpSpan> {
    const n = this.#n++
    const agent = this.#agent(message.agent_id)
    const before = agent.to
    const ts = message.ts ?? before ?? NO_TIME
    agent.from = Math.min(agent.from ?? ts, ts)
    agent.to = Math.max(agent.to ?? ts, ts)
    if (message.role === 'user' && !message.hidden && this.#options.content)
      agent.input ??= messageContent(message)
    if (message.role === 'assistant') yield this.#reply(message, agent, n, Math.min(before ?? ts, ts), ts)
    for (const block of message.content) {
      if (block.type === 'tool_call') yield* this.#called(block, message.agent_id, ts)
      if (block.type === 'tool_result') yield* this.#returned(block, ts)
    }
  }

  *end(): Generator<OtlpSpan> {
    for (const [id, call] of this.#open)
      yield this.#callSpan(id, call, call.ts, { 'panoptes.unfinished': true })
    this.#open.clear()
    const all = [...this.#agents.values()].filter(({ to, about }) => to !== undefined && about.id !== MAIN)
    const main = this.#agents.get(MAIN)
    if (main === undefined && all.length === 0) return
    for (const agent of all) yield this.#agentSpan(agent)
    const top = main ?? { ...NEW, about: { ...NOBODY, id: MAIN } }
    const times = [top, ...all]
      .flatMap(({ from, to }) => [from ?? NO_TIME, to ?? NO_TIME])
      .filter((ts) => ts > NO_TIME)
    yield this.#agentSpan({
      ...top,
      from: times.reduce((least, ts) => Math.min(least, ts), times[0] ?? NO_TIME),
      to: times.reduce((most, ts) => Math.max(most, ts), NO_TIME),
    })
  }

  #reply(message: Message, agent: Agent, n: number, from: number, to: number): OtlpSpan {
    const { model, usage, ts } = message
    const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    const marker = message.hidden ? undefined : readStatus(text)
    if (marker) agent.marker = marker
    agent.model = model ?? agent.model
    const finish = message.content.some(({ type }) => type === 'tool_call') ? 'tool_call' : 'stop'
    const priced =
      model === null || usage === null ? null : (this.#options.prices?.costOf(model, usage, ts) ?? null)
    return this.#span({
      id: this.#ids.reply(agent.about.id, message.id || String(n)),
      parent: this.#ids.agent(agent.about.id),
      name: model === null ? 'chat' : `chat ${model}`,
      kind: CLIENT,
      from,
      to,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': detectProvider(model) ?? 'unknown',
        'gen_ai.request.model': model,
        'gen_ai.response.model': model,
        'gen_ai.response.id': message.id || undefined,
        'gen_ai.response.finish_reasons': [finish],
        ...usageAttributes(usage),
        'panoptes.cost_usd': inDollars(message.cost_micro_usd ?? priced),
        'gen_ai.output.messages': this.#options.content ? messageContent(message, finish) : undefined,
      },
    })
  }

  *#called(
    block: Extract<ContentBlock, { type: 'tool_call' }>,
    agent: string,
    ts: number,
  ): Generator<OtlpSpan> {
    const id = block.id || `${agent} ${this.#n} ${this.#open.size}`
    if (this.#seen.size < MOST_SEEN) this.#seen.add(id)
    this.#open.set(id, {
      agent,
      tool: block.tool,
      ts,
      attributes: {
        'panoptes.skill': skillOfCall(block.tool, block.input),
        'gen_ai.tool.call.arguments': this.#options.content ? argumentsContent(block.input) : undefined,
      },
    })
    const [oldest] = this.#open
    if (this.#open.size <= MOST_OPEN || oldest === undefined) return
    this.#open.delete(oldest[0])
    yield this.#callSpan(...oldest, oldest[1].ts, { 'panoptes.unfinished': true })
  }

  *#returned({ id, ok, text, duration_ms }: Result, ts: number): Generator<OtlpSpan> {
    const call = this.#open.get(id)
    if (call === undefined) return
    this.#open.delete(id)
    const to = Math.max(call.ts, duration_ms === null ? ts : call.ts + duration_ms)
    const own = this.#agent(call.agent)
    own.to = Math.max(own.to ?? to, to)
    const result = this.#options.content ? resultContent(text) : undefined
    const span = this.#callSpan(id, call, to, {
      'gen_ai.tool.call.result': result,
      'error.type': ok === false ? 'tool_error' : undefined,
      'panoptes.undecided': ok === null ? true : undefined,
    })
    yield ok === false
      ? { ...span, status: { code: STATUS_ERROR, message: errorWords(text, this.#options.content) } }
      : span
  }

  #callSpan(id: string, { agent, tool, ts, attributes }: OpenCall, to: number, more: Attributes): OtlpSpan {
    return this.#span({
      id: this.#ids.call(id),
      parent: this.#ids.agent(agent),
      name: `execute_tool ${tool}`,
      kind: INTERNAL,
      from: ts,
      to,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.call.id': id,
        ...attributes,
        ...more,
      },
    })
  }

  #agentSpan({ about, from, to, model, input, marker }: Agent): OtlpSpan {
    const { source } = this.#options
    const isMain = about.id === MAIN
    const {
      project = null,
      usage = null,
      cost_micro_usd: cost = null,
    } = (isMain ? this.about : undefined) ?? {}
    const name = isMain ? source : about.subagent_type
    const call =
      about.tool_use_id !== null && this.#seen.has(about.tool_use_id) ? about.tool_use_id : undefined
    const maker = this.#agents.has(about.parent_id ?? MAIN) ? (about.parent_id ?? MAIN) : MAIN
    const span = this.#span({
      id: this.#ids.agent(about.id),
      parent: isMain ? undefined : call === undefined ? this.#ids.agent(maker) : this.#ids.call(call),
      name: name === null ? 'invoke_agent' : `invoke_agent ${name}`,
      kind: INTERNAL,
      from: from ?? NO_TIME,
      to: to ?? from ?? NO_TIME,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': detectProvider(model) ?? 'unknown',
        'gen_ai.agent.id': about.id,
        'gen_ai.agent.name': name,
        'gen_ai.agent.description':
          about.description === null ? undefined : redactText(about.description).text,
        'gen_ai.request.model': model,
        'gen_ai.input.messages': input,
        'panoptes.agent.id': about.id,
        'panoptes.project': project,
        'panoptes.outcome': about.outcome ?? marker?.shipped,
        'error.type': about.outcome === 'fail' ? 'agent_error' : undefined,
        'panoptes.stubs': marker?.stubs ?? undefined,
        // Only if the source reports totals instead of usage per reply.
        ...usageAttributes(usage),
        'panoptes.cost_usd': usage === null ? undefined : inDollars(cost),
      },
    })
    return about.outcome === 'fail'
      ? { ...span, status: { code: STATUS_ERROR, message: 'the agent failed' } }
      : span
  }

  #span(made: {
    readonly id: string
    readonly parent: string | undefined
    readonly name: string
    readonly kind: number
    readonly from: number
    readonly to: number
    readonly attributes: Attributes
  }): OtlpSpan {
    const conversation = { 'gen_ai.conversation.id': this.#options.session }
    return {
      traceId: this.#ids.trace,
      spanId: made.id,
      ...(made.parent === undefined ? {} : { parentSpanId: made.parent }),
      name: made.name,
      kind: made.kind,
      startTimeUnixNano: `${made.from}000000`,
      endTimeUnixNano: `${made.to}000000`,
      attributes: toAttributes({ ...conversation, ...made.attributes }),
    }
  }

  #agent(id: string): Agent {
    const existing = this.#agents.get(id)
    if (existing !== undefined) return existing
    const agent = { ...NEW, about: { ...NOBODY, id, parent_id: id === MAIN ? null : MAIN } }
    this.#agents.set(id, agent)
    return agent
  }
}

const NOBODY = { parent_id: null, subagent_type: null, description: null, tool_use_id: null }
const NEW = { from: undefined, to: undefined, model: null, input: undefined, marker: undefined }

/** In the conventions, cache reads and writes count as input. */
function usageAttributes(usage: TokenUsage | null): Attributes {
  if (usage === null) return {}
  const { input, output, cache_read: read, cache_write: written, cache_write_1h: hour, reasoning } = usage
  return {
    'gen_ai.usage.input_tokens': input === null ? null : input + (read ?? 0) + (written ?? 0),
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': read,
    'gen_ai.usage.cache_creation.input_tokens': written,
    'gen_ai.usage.reasoning.output_tokens': reasoning,
    'panoptes.usage.cache_write_1h': hour,
  }
}

const inDollars = (micro: number | null): number | null => (micro === null ? null : micro / 1_000_000)

const errorWords = (text: string, content = false): string =>
  content ? resultContent(text).slice(0, 200) : 'the call failed'
