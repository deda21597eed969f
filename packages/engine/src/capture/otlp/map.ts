import { readStatus, skillOfCall } from '@panoptes/engine/markers'
import { redactText } from '@panoptes/engine/redact'
import { isName } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { claimsIn, statusIn } from '../marker-events.ts'
import { inputPreview, preview } from '../preview.ts'
import { eventWords, listedWords, wordsIn } from './message-text.ts'
import type { Attributes, Span } from './spans.ts'
import type { Part } from './trees.ts'

/**
 * Maps span attributes to the event vocabulary. Each table lists the attributes of the GenAI conventions
 * first, then their older versions, then OpenInference's. The first attribute present counts.
 */
const PARTS: readonly (readonly [attribute: string, values: Readonly<Record<string, Part>>])[] = [
  [
    'gen_ai.operation.name',
    {
      invoke_agent: 'agent',
      execute_tool: 'tool',
      chat: 'reply',
      text_completion: 'reply',
      generate_content: 'reply',
      embeddings: 'reply',
      create_agent: 'step',
      invoke_workflow: 'step',
      plan: 'step',
      retrieval: 'step',
    },
  ],
  [
    'openinference.span.kind',
    {
      AGENT: 'agent',
      TOOL: 'tool',
      LLM: 'reply',
      EMBEDDING: 'reply',
      CHAIN: 'step',
      RETRIEVER: 'step',
      RERANKER: 'step',
      GUARDRAIL: 'step',
      EVALUATOR: 'step',
      PROMPT: 'step',
      UNKNOWN: 'step',
    },
  ],
]

const NAMES = {
  session: ['gen_ai.conversation.id', 'session.id'],
  /** The attribute with which Panoptes' own export names an agent. */
  agent: ['panoptes.agent.id'],
  agentType: ['gen_ai.agent.name', 'agent.name', 'gen_ai.agent.id', 'graph.node.id'],
  tool: ['gen_ai.tool.name', 'tool.name'],
  call: ['gen_ai.tool.call.id', 'tool.id', 'tool_call.id'],
  model: ['gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name', 'embedding.model_name'],
  skill: ['panoptes.skill'],
  project: ['panoptes.project', 'service.namespace'],
} as const

const COUNTS = {
  input: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'],
  output: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.token_count.completion'],
  cache_read: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'llm.token_count.prompt_details.cache_read',
  ],
  cache_write: [
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'llm.token_count.prompt_details.cache_write',
  ],
  cache_write_1h: ['panoptes.usage.cache_write_1h'],
  reasoning: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'llm.token_count.completion_details.reasoning',
  ],
} as const

const COSTS = ['panoptes.cost_usd', 'gen_ai.usage.cost', 'llm.cost.total']
const ARGUMENTS = ['gen_ai.tool.call.arguments', 'input.value', 'tool.parameters']
const PROMPT_ATTRIBUTES = ['gen_ai.input.messages', 'gen_ai.prompt', 'input.value']
const OUTPUT_ATTRIBUTES = ['gen_ai.output.messages', 'gen_ai.completion', 'output.value']
const PROMPT_LISTS = ['llm.input_messages', 'gen_ai.prompt']
const OUTPUT_LISTS = ['llm.output_messages', 'gen_ai.completion']
const OUTPUT_EVENTS = ['gen_ai.choice', 'gen_ai.content.completion']

/** Classifies a span. Returns undefined when it follows neither convention. */
export function spanPart({ attributes }: Span): Part | undefined {
  for (const [attribute, values] of PARTS) {
    const value = attributes.get(attribute)
    if (typeof value !== 'string') continue
    return Object.hasOwn(values, value) ? values[value] : 'step'
  }
  const counts = [...COUNTS.input, ...COUNTS.output]
  return counts.some((name) => attributes.has(name)) ? 'reply' : undefined
}

export const spanSession = (span: Span): string | undefined =>
  nameIn(span.attributes, NAMES.session) ?? nameIn(span.resource, NAMES.session)

export const spanAgent = (span: Span): string | undefined => nameIn(span.attributes, NAMES.agent)
export const spanProject = (span: Span): string | undefined =>
  nameIn(span.attributes, NAMES.project) ?? nameIn(span.resource, NAMES.project)

/**
 * Sources whose sessions are read from disk. Their spans get a separate source, because they would count
 * twice otherwise.
 */
const READ: ReadonlySet<string> = new Set(['claude-code', 'hermes', 'codex', 'opencode', 'panoptes'])

const LONGEST_SERVICE = 1_024

export function resourceSource(resource: Attributes): string {
  const service = resource.get('service.name')
  const name =
    typeof service === 'string'
      ? redactText(service.slice(0, LONGEST_SERVICE))
          .text.replace(/[\p{Cc}\p{Cs}]/gu, ' ')
          .trim()
      : ''
  if (name === '' || name.startsWith('unknown_service')) return 'otlp'
  return READ.has(name) ? `${name}-otlp` : name.slice(0, 64).toWellFormed().replaceAll('\ufffd', '_')
}

/** An event of a span without its envelope; `at` is the end of the span at which it happened. */
export type BareSpanEvent = Readonly<Record<string, unknown>> & {
  readonly event: string
  readonly at: 'start' | 'end'
}

export interface Who {
  /** The agent that works in the span, or that the span is. */
  readonly agent: string
  /** The agent that created it, where it is known. */
  readonly maker: string | undefined
  /** This is true when a nested reply reports its tokens or its text, so they count there. */
  readonly hasReply: boolean
  readonly hasWords: boolean
  /** The outcome from the agent's last marker, when its own span has none. */
  readonly outcome: { readonly shipped: string; readonly stubs: number | null } | undefined
}

/** Returns the events of a span. */
export function toEvents(span: Span, part: Part, who: Who): readonly BareSpanEvent[] {
  if (part === 'tool') return tool(span, who)
  if (part === 'reply') return [...(who.hasReply ? [] : [replyEvent(span, who)]), ...markerEvents(span, who)]
  return part === 'agent' && !isTop(span, who) ? agent(span, who) : []
}

export const isTop = (span: Span, { agent }: Pick<Who, 'agent'>): boolean =>
  span.parent === undefined && agent === 'main'

/** Adds the events of a root span: the prompt and the end of the turn. */
export const turn = (span: Span, part: Part | undefined, who: Who): readonly BareSpanEvent[] => [
  { event: 'prompt', at: 'start', agent_id: who.agent, prompt_preview: toPreview(promptText(span)) },
  ...(part === 'agent' ? [link(span, who), ...ownUsage(span, who), ...markerEvents(span, who)] : []),
  done(span, who),
]

const agent = (span: Span, who: Who): readonly BareSpanEvent[] => [
  {
    event: 'agent_spawn',
    at: 'start',
    id: who.agent,
    parent_id: who.maker,
    subagent_type: agentType(span),
    model: spanModel(span),
    prompt_preview: toPreview(promptText(span)),
  },
  ...ownUsage(span, who),
  ...markerEvents(span, who),
  done(span, who),
]

const link = (span: Span, who: Who): BareSpanEvent => ({
  event: 'agent_link',
  at: 'start',
  id: who.agent,
  subagent_type: agentType(span),
  model: spanModel(span),
})

/** A type that only repeats the agent's name or id says nothing, so it is dropped. */
const agentType = (span: Span): string | undefined => {
  const type = nameIn(span.attributes, NAMES.agentType)
  const says = type !== spanAgent(span) && type !== span.resource.get('service.name')
  return says ? type : undefined
}

function done(span: Span, who: Who): BareSpanEvent {
  const outcome = readStatus(outputText(span)) ?? readExportedOutcome(span) ?? who.outcome
  return {
    event: 'agent_done',
    at: 'end',
    id: who.agent,
    outcome: outcome?.shipped,
    stubs: outcome?.stubs ?? undefined,
    duration_ms: span.end - span.start,
    error: hasFailed(span) ? preview(errorText(span)) : undefined,
  }
}

/** Reads the outcome that Panoptes' own export adds, since the export omits texts. */
function readExportedOutcome({ attributes }: Span): Who['outcome'] {
  const shipped = attributes.get('panoptes.outcome')
  return typeof shipped === 'string'
    ? { shipped, stubs: countIn(attributes, ['panoptes.stubs']) ?? null }
    : undefined
}

function tool(span: Span, { agent }: Who): readonly BareSpanEvent[] {
  const called = nameIn(span.attributes, NAMES.tool) ?? toolInName(span.name)
  const id = nameIn(span.attributes, NAMES.call) ?? spanKey(span)
  const call = { id, agent_id: agent, tool: called }
  const input = readArguments(span)
  const skill = nameIn(span.attributes, NAMES.skill) ?? skillOfCall(called, input)
  const ok = isUndecided(span) ? undefined : !hasFailed(span)
  return [
    {
      event: 'tool_use',
      at: 'start',
      ...call,
      input_preview: inputPreview(isPlainObject(input) ? input : undefined) ?? toPreview(toText(input)),
    },
    {
      event: 'tool_done',
      at: 'end',
      ...call,
      ok,
      duration_ms: ok === undefined ? undefined : span.end - span.start,
      error_preview: ok === false ? preview(errorText(span)) : undefined,
    },
    ...(skill === undefined
      ? []
      : [{ event: 'skill_use', at: 'end' as const, id, agent_id: agent, skill, success: ok }]),
  ]
}

/** True for a call that Panoptes exported without a success or a failure, such as a denied one. */
const isUndecided = ({ attributes }: Span): boolean =>
  attributes.get('panoptes.undecided') === true || attributes.get('panoptes.unfinished') === true

const toolInName = (name: string): string => {
  const plain = name.replace(/^execute_tool\s+/, '').trim()
  return isName(plain) ? plain : 'unknown'
}

/** A remote agent reports its own usage, since no other span does. */
const ownUsage = (span: Span, who: Who): readonly BareSpanEvent[] =>
  who.hasReply || !hasCounts(span) ? [] : [usage(span, who)]

export const hasCounts = ({ attributes }: Span): boolean =>
  (countIn(attributes, COUNTS.input) ?? countIn(attributes, COUNTS.output)) !== undefined

/** Some programs reuse span ids in every trace. */
const spanKey = ({ trace, id }: Span): string => `${trace}.${id}`

function usage(span: Span, { agent }: Who): BareSpanEvent {
  const counted = (names: readonly string[]) => countIn(span.attributes, names)
  const read = counted(COUNTS.cache_read)
  const written = counted(COUNTS.cache_write)
  return {
    event: 'usage',
    at: 'end',
    id: spanKey(span),
    agent_id: agent,
    model: spanModel(span),
    input: withoutCached(counted(COUNTS.input), (read ?? 0) + (written ?? 0)),
    output: counted(COUNTS.output),
    cache_read: read,
    cache_write: written,
    cache_write_1h: counted(COUNTS.cache_write_1h),
    reasoning: counted(COUNTS.reasoning),
    cost_usd: readCost(span),
  }
}

/** The event records whether there was a text, so that this is known after a restart as well. */
const replyEvent = (span: Span, who: Who): BareSpanEvent => ({
  ...usage(span, who),
  ...(outputText(span) === '' ? {} : { has_words: true }),
})

/**
 * Both conventions include cached tokens in the input, and Panoptes does not. An input smaller than the
 * cached count cannot include it.
 */
const withoutCached = (input: number | undefined, cached: number): number | undefined =>
  input === undefined || input < cached ? input : input - cached

function markerEvents(span: Span, who: Who): readonly BareSpanEvent[] {
  const text = outputText(span)
  if (text === '') return []
  const about = { agent: who.agent, turn: spanKey(span), text }
  const status = statusIn(about)
  const claims = who.hasWords ? [] : claimsIn(about)
  return [...claims, ...(status === undefined ? [] : [status])].map((each) => ({ ...each, at: 'end' }))
}

/** Returns the last text of the agent or the model in this span. */
export function outputText(span: Span): string {
  const cached = words.get(span)
  if (cached !== undefined) return cached
  const text = lastWords(span)
  words.set(span, text)
  return text
}

/** Texts are looked up more than once, so they are cached. */
const words = new WeakMap<Span, string>()

function lastWords(span: Span): string {
  const { attributes } = span
  const events = span.events.filter((event) => event.attributes.has('gen_ai.output.messages'))
  return firstText([
    ...OUTPUT_ATTRIBUTES.slice(0, 1).map((name) => () => wordsIn(attributes.get(name), 'agent')),
    ...events.map((event) => () => wordsIn(event.attributes.get('gen_ai.output.messages'), 'agent')),
    ...OUTPUT_EVENTS.map((name) => () => eventWords(span, name)),
    ...OUTPUT_LISTS.map((list) => () => listedWords(attributes, list, 'agent')),
    ...OUTPUT_ATTRIBUTES.slice(1).map((name) => () => wordsIn(attributes.get(name), 'agent')),
  ])
}

const promptText = ({ attributes }: Span): string =>
  firstText([
    ...PROMPT_ATTRIBUTES.slice(0, 1).map((name) => () => wordsIn(attributes.get(name), 'user')),
    ...PROMPT_LISTS.map((list) => () => listedWords(attributes, list, 'user')),
    ...PROMPT_ATTRIBUTES.slice(1).map((name) => () => wordsIn(attributes.get(name), 'user')),
  ])

function firstText(ways: readonly (() => string)[]): string {
  for (const way of ways) {
    const text = way()
    if (text.trim() !== '') return text
  }
  return ''
}

const toPreview = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === '' ? undefined : preview(text)

const spanModel = (span: Span): string | undefined => nameIn(span.attributes, NAMES.model)

const hasFailed = (span: Span): boolean => span.failed || isText(span.attributes.get('error.type'))

function errorText(span: Span): string {
  const exception = span.events.find(({ name }) => name === 'exception')?.attributes.get('exception.message')
  return [span.message, exception, span.attributes.get('error.type')].find(isText) ?? 'it failed'
}

function readArguments({ attributes }: Span): unknown {
  for (const name of ARGUMENTS) {
    const value = attributes.get(name)
    if (!isText(value)) {
      if (value !== undefined && value !== '') return value
      continue
    }
    try {
      return parseJson(value)
    } catch {
      return value
    }
  }
  return undefined
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function nameIn(attributes: Attributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes.get(name)
    const text = typeof value === 'number' ? String(value) : value
    if (isName(text)) return text
  }
  return undefined
}

const MOST = 1_000_000_000_000

function countIn(attributes: Attributes, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST) return value
  }
  return undefined
}

function readCost({ attributes }: Span): number | undefined {
  for (const name of COSTS) {
    const value = attributes.get(name)
    if (typeof value === 'number' && value >= 0 && value <= 1_000_000) return value
  }
  return undefined
}
