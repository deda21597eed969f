import { readStatus, skillOfCall } from '@panoptes/engine/stated'
import { isName } from '@panoptes/schema'
import { inputPreview, preview } from '../preview.ts'
import { claimsIn, statusIn } from '../stated-events.ts'
import type { Attributes, Span } from './spans.ts'
import type { Part } from './trees.ts'
import { eventWords, listedWords, wordsIn } from './words.ts'

/**
 * What spans say, in our words. Each table names the attributes of the GenAI conventions first, then those of their older versions, then
 * OpenInference's; the first that is there counts.
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
  /** By which our own export names an agent. */
  agent: ['panoptes.agent.id'],
  agentType: ['gen_ai.agent.name', 'agent.name', 'gen_ai.agent.id', 'graph.node.id'],
  tool: ['gen_ai.tool.name', 'tool.name'],
  call: ['gen_ai.tool.call.id', 'tool.id', 'tool_call.id'],
  model: ['gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name', 'embedding.model_name'],
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
const ASKED = ['gen_ai.input.messages', 'gen_ai.prompt', 'input.value']
const SAID = ['gen_ai.output.messages', 'gen_ai.completion', 'output.value']
const ASKED_LISTS = ['llm.input_messages', 'gen_ai.prompt']
const SAID_LISTS = ['llm.output_messages', 'gen_ai.completion']
const SAID_EVENTS = ['gen_ai.choice', 'gen_ai.content.completion']

/** What a span is to us; undefined where it speaks neither language. */
export function partOf({ attributes }: Span): Part | undefined {
  for (const [attribute, values] of PARTS) {
    const told = attributes.get(attribute)
    if (typeof told !== 'string') continue
    return Object.hasOwn(values, told) ? values[told] : 'step'
  }
  const counts = [...COUNTS.input, ...COUNTS.output]
  return counts.some((name) => attributes.has(name)) ? 'reply' : undefined
}

export const sessionOf = (span: Span): string | undefined =>
  nameIn(span.attributes, NAMES.session) ?? nameIn(span.resource, NAMES.session)

export const agentOf = (span: Span): string | undefined => nameIn(span.attributes, NAMES.agent)
export const projectOf = (span: Span): string | undefined =>
  nameIn(span.attributes, NAMES.project) ?? nameIn(span.resource, NAMES.project)

/** Whose sessions are read where they are left behind: what a span tells of them is kept apart, or they would count twice. */
const READ: ReadonlySet<string> = new Set(['claude-code', 'hermes', 'codex', 'opencode', 'panoptes'])

export function sourceOf(resource: Attributes): string {
  const told = resource.get('service.name')
  const name = typeof told === 'string' ? told.replace(/[\p{Cc}\p{Cs}]/gu, ' ').trim() : ''
  if (name === '' || name.startsWith('unknown_service')) return 'otlp'
  return READ.has(name) ? `${name}-otlp` : name.slice(0, 64).toWellFormed().replaceAll('\ufffd', '_')
}

/** An event of a span, without its envelope; `at` is which end of the span it happened at. */
export type Told = Readonly<Record<string, unknown>> & {
  readonly event: string
  readonly at: 'start' | 'end'
}

export interface Who {
  /** Who works in the span, or the agent that it is. */
  readonly agent: string
  /** Who made that agent, where it is known. */
  readonly maker: string | undefined
  /** A reply inside of it told its tokens, and its words: they count there. */
  readonly hasReply: boolean
  readonly hasWords: boolean
  /** What the agent's last marker says, where its own span has none. */
  readonly outcome: { readonly shipped: string; readonly stubs: number } | undefined
}

/** What a span tells. */
export function toldBy(span: Span, part: Part, who: Who): readonly Told[] {
  if (part === 'tool') return tool(span, who)
  if (part === 'reply') return who.hasReply ? said(span, who) : [usage(span, who), ...said(span, who)]
  return part === 'agent' && !isTop(span, who) ? agent(span, who) : []
}

export const isTop = (span: Span, { agent }: Pick<Who, 'agent'>): boolean =>
  span.parent === undefined && agent === 'main'

/** What the span at the top tells beyond that: what was asked, and that it is done. */
export const turn = (span: Span, part: Part | undefined, who: Who): readonly Told[] => [
  { event: 'prompt', at: 'start', agent_id: who.agent, prompt_preview: previewOf(askedIn(span)) },
  ...(part === 'agent' ? [link(span, who), ...ownUsage(span, who), ...said(span, who)] : []),
  done(span, who),
]

const agent = (span: Span, who: Who): readonly Told[] => [
  {
    event: 'agent_spawn',
    at: 'start',
    id: who.agent,
    parent_id: who.maker,
    subagent_type: agentType(span),
    model: modelOf(span),
    prompt_preview: previewOf(askedIn(span)),
  },
  ...ownUsage(span, who),
  ...said(span, who),
  done(span, who),
]

const link = (span: Span, who: Who): Told => ({
  event: 'agent_link',
  at: 'start',
  id: who.agent,
  subagent_type: agentType(span),
  model: modelOf(span),
})

const agentType = (span: Span): string | undefined => {
  const type = nameIn(span.attributes, NAMES.agentType)
  return type === 'main' ? undefined : type
}

function done(span: Span, who: Who): Told {
  const marker = readStatus(saidIn(span))
  const outcome = marker ?? who.outcome
  return {
    event: 'agent_done',
    at: 'end',
    id: who.agent,
    outcome: outcome?.shipped,
    stubs: outcome?.stubs,
    duration_ms: span.end - span.start,
    error: failed(span) ? preview(errorOf(span)) : undefined,
  }
}

function tool(span: Span, { agent }: Who): readonly Told[] {
  const called = nameIn(span.attributes, NAMES.tool) ?? toolInName(span.name)
  const id = nameIn(span.attributes, NAMES.call) ?? span.id
  const call = { id, agent_id: agent, tool: called }
  const input = argumentsOf(span)
  const skill = skillOfCall(called, input)
  const ok = !failed(span)
  return [
    {
      event: 'tool_use',
      at: 'start',
      ...call,
      input_preview: inputPreview(fieldsOf(input)) ?? previewOf(textOf(input)),
    },
    {
      event: 'tool_done',
      at: 'end',
      ...call,
      ok,
      duration_ms: span.end - span.start,
      error_preview: ok ? undefined : preview(errorOf(span)),
    },
    ...(skill === undefined
      ? []
      : [{ event: 'skill_use', at: 'end' as const, id, agent_id: agent, skill, success: ok }]),
  ]
}

const toolInName = (name: string): string => {
  const plain = name.replace(/^execute_tool\s+/, '').trim()
  return isName(plain) ? plain : 'unknown'
}

/** An agent that was asked elsewhere tells what it took itself, since nobody else does. */
const ownUsage = (span: Span, who: Who): readonly Told[] =>
  who.hasReply || !hasCounts(span) ? [] : [usage(span, who)]

const hasCounts = ({ attributes }: Span): boolean =>
  [...COUNTS.input, ...COUNTS.output].some((name) => attributes.has(name))

function usage(span: Span, { agent }: Who): Told {
  const counted = (names: readonly string[]) => countIn(span.attributes, names)
  const read = counted(COUNTS.cache_read)
  const written = counted(COUNTS.cache_write)
  return {
    event: 'usage',
    at: 'end',
    id: span.id,
    agent_id: agent,
    model: modelOf(span),
    input: withoutCached(counted(COUNTS.input), (read ?? 0) + (written ?? 0)),
    output: counted(COUNTS.output),
    cache_read: read,
    cache_write: written,
    cache_write_1h: counted(COUNTS.cache_write_1h),
    reasoning: counted(COUNTS.reasoning),
    cost_usd: costOf(span),
  }
}

/** Both conventions count what came from the cache as input too, and we do not. Who says less than that did not count it either. */
const withoutCached = (input: number | undefined, cached: number): number | undefined =>
  input === undefined || input < cached ? input : input - cached

function said(span: Span, who: Who): readonly Told[] {
  const text = saidIn(span)
  if (text === '') return []
  const about = { agent: who.agent, turn: span.id, text }
  const status = statusIn(about)
  const claims = who.hasWords ? [] : claimsIn(about)
  return [...claims, ...(status === undefined ? [] : [status])].map((each) => ({ ...each, at: 'end' }))
}

/** What the agent or the model said at last in this span. */
export function saidIn(span: Span): string {
  const { attributes } = span
  const events = span.events.filter((event) => event.attributes.has('gen_ai.output.messages'))
  return firstOf([
    ...SAID.slice(0, 1).map((name) => () => wordsIn(attributes.get(name), 'own')),
    ...events.map((event) => () => wordsIn(event.attributes.get('gen_ai.output.messages'), 'own')),
    ...SAID_EVENTS.map((name) => () => eventWords(span, name)),
    ...SAID_LISTS.map((list) => () => listedWords(attributes, list, 'own')),
    ...SAID.slice(1).map((name) => () => wordsIn(attributes.get(name), 'own')),
  ])
}

const askedIn = ({ attributes }: Span): string =>
  firstOf([
    ...ASKED.slice(0, 1).map((name) => () => wordsIn(attributes.get(name), 'asked')),
    ...ASKED_LISTS.map((list) => () => listedWords(attributes, list, 'asked')),
    ...ASKED.slice(1).map((name) => () => wordsIn(attributes.get(name), 'asked')),
  ])

function firstOf(ways: readonly (() => string)[]): string {
  for (const way of ways) {
    const text = way()
    if (text.trim() !== '') return text
  }
  return ''
}

const previewOf = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === '' ? undefined : preview(text)

const modelOf = (span: Span): string | undefined => nameIn(span.attributes, NAMES.model)

const failed = (span: Span): boolean => span.failed || isText(span.attributes.get('error.type'))

function errorOf(span: Span): string {
  const exception = span.events.find(({ name }) => name === 'exception')?.attributes.get('exception.message')
  return [span.message, exception, span.attributes.get('error.type')].find(isText) ?? 'it failed'
}

function argumentsOf({ attributes }: Span): unknown {
  for (const name of ARGUMENTS) {
    const told = attributes.get(name)
    if (!isText(told)) {
      if (told !== undefined && told !== '') return told
      continue
    }
    try {
      return JSON.parse(told)
    } catch {
      return told
    }
  }
  return undefined
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined

function nameIn(attributes: Attributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes.get(name)
    const told = typeof value === 'number' ? String(value) : value
    if (isName(told)) return told
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

function costOf({ attributes }: Span): number | undefined {
  for (const name of COSTS) {
    const value = attributes.get(name)
    if (typeof value === 'number' && value >= 0 && value <= 1_000_000) return value
  }
  return undefined
}
