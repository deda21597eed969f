import { type Fields, toFields } from '@panoptes/schema/plain-object'
import { newId, text } from './fields.ts'
import { freeInput, type Tool, type Tools } from './tools.ts'

/** Sends an event; the caller numbers it. */
export type SendEvent = (type: string, data: Fields) => void

export interface Item {
  /** The item in this status: as it is now, or as it will be once it is complete. */
  readonly toJson: (status: 'in_progress' | 'completed' | 'incomplete') => Fields
}

/** `incomplete` means that the model reached its output limit. */
export type Ending = 'completed' | 'incomplete' | 'failed'

/** Appends an item to the output and returns its index. */
export type Add = (item: Item) => number

/** Builds the output items from chunks, and sends an event for each step. */
export interface Output {
  readonly take: (delta: Fields) => void
  /** Ends the output. An item that broke off is not reported as done, so that no client runs half a tool call. */
  readonly end: (as: Ending) => void
  readonly items: () => readonly Fields[]
}

export function createOutput(tools: Tools, tell: SendEvent): Output {
  const items: Item[] = []
  let isWhole = true
  const add: Add = (item) => {
    tell('response.output_item.added', { output_index: items.length, item: item.toJson('in_progress') })
    return items.push(item) - 1
  }
  const calls = createCalls(tools, add, tell)
  let words: TextItem | undefined
  const finish = () => {
    words?.end(true)
    if (words)
      tell('response.output_item.done', { output_index: words.place, item: words.toJson('completed') })
    words = undefined
  }
  const writeText = (kind: TextKind, delta: unknown) => {
    if (typeof delta !== 'string' || delta === '') return
    if (words?.kind !== kind) finish()
    words ??= startText(kind, add, tell)
    words.say(delta)
  }
  let thinksIn: string | undefined
  return {
    take: (delta) => {
      // Some providers send the same reasoning in two fields, so the first one seen is used.
      thinksIn ??= ['reasoning_content', 'reasoning'].find((field) => typeof delta[field] === 'string')
      if (thinksIn) writeText('reasoning', delta[thinksIn])
      writeText('message', delta.content)
      writeText('refusal', delta.refusal)
      if (!Array.isArray(delta.tool_calls) || delta.tool_calls.length === 0) return
      finish()
      for (const piece of delta.tool_calls) calls.take(toFields(piece))
    },
    end: (as) => {
      isWhole = as === 'completed'
      if (as !== 'failed') finish()
      words?.end(false)
      calls.end(isWhole)
    },
    items: () =>
      items.map((item, at) => item.toJson(isWhole || at < items.length - 1 ? 'completed' : 'incomplete')),
  }
}

type TextKind = 'reasoning' | 'message' | 'refusal'

interface TextItem extends Item {
  readonly kind: TextKind
  readonly place: number
  readonly say: (delta: string) => void
  readonly end: (emitsDone: boolean) => void
}

/** The event names of each kind of text, and the names of the content part that holds it. */
const TEXT_EVENTS = {
  message: { events: 'output_text', part: 'content_part', index: 'content_index', field: 'text' },
  refusal: { events: 'refusal', part: 'content_part', index: 'content_index', field: 'refusal' },
  reasoning: {
    events: 'reasoning_summary_text',
    part: 'reasoning_summary_part',
    index: 'summary_index',
    field: 'text',
  },
} as const

function startText(kind: TextKind, add: Add, tell: SendEvent): TextItem {
  const { events, part, index, field } = TEXT_EVENTS[kind]
  const id = newId(kind === 'reasoning' ? 'rs' : 'msg')
  let buffer = ''
  let parts: readonly Fields[] = []
  const partNow = (): Fields => {
    if (kind === 'reasoning') return { type: 'summary_text', text: buffer }
    if (kind === 'refusal') return { type: 'refusal', refusal: buffer }
    return { type: 'output_text', text: buffer, annotations: [], logprobs: [] }
  }
  const now: Item['toJson'] = (status) =>
    kind === 'reasoning'
      ? { id, type: 'reasoning', status, summary: parts }
      : { id, type: 'message', status, role: 'assistant', content: parts }
  const place = add({ toJson: now })
  const where = { item_id: id, output_index: place, [index]: 0 }
  const more = kind === 'message' ? { logprobs: [] } : {}
  tell(`response.${part}.added`, { ...where, part: partNow() })
  return {
    kind,
    place,
    toJson: now,
    say: (delta) => {
      buffer += delta
      tell(`response.${events}.delta`, { ...where, delta, ...more })
    },
    end: (emitsDone) => {
      parts = [partNow()]
      if (!emitsDone) return
      tell(`response.${events}.done`, { ...where, [field]: buffer, ...more })
      tell(`response.${part}.done`, { ...where, part: parts[0] })
    },
  }
}

interface Calls {
  readonly take: (piece: Fields) => void
  readonly end: (emitsDone: boolean) => void
}

/** Collects tool calls. Their chunks may be interleaved, so all calls are completed with the answer. */
function createCalls(tools: Tools, add: Add, tell: SendEvent): Calls {
  const calls = new Map<number, Call>()
  let highest = -1
  const callIndex = ({ index, id }: Fields): number => {
    const at = typeof index === 'number' ? index : highest + 1
    const there = calls.get(at)?.id
    // Some providers number all calls 0; a new id then starts a new call.
    return typeof id === 'string' && id !== '' && there !== undefined && there !== id ? highest + 1 : at
  }
  return {
    take: (piece) => {
      const at = callIndex(piece)
      const { name, arguments: args } = toFields(piece.function)
      let call = calls.get(at)
      if (call === undefined) {
        call = startCall(text(piece.id) || newId('call'), tools.findTool(text(name)), add, tell)
        calls.set(at, call)
        highest = Math.max(highest, at)
      }
      const more = typeof args === 'object' && args !== null ? JSON.stringify(args) : text(args)
      if (more !== '') call.say(more)
    },
    end: (emitsDone) => {
      for (const call of calls.values()) call.end(emitsDone)
    },
  }
}

interface Call {
  readonly id: string
  readonly say: (delta: string) => void
  readonly end: (emitsDone: boolean) => void
}

function startCall(callId: string, tool: Tool, add: Add, tell: SendEvent): Call {
  const isFree = tool.kind === 'custom'
  const id = newId(isFree ? 'ctc' : 'fc')
  let args = ''
  let whole = ''
  const now = (status: string): Fields => ({
    id,
    type: isFree ? 'custom_tool_call' : 'function_call',
    status,
    call_id: callId,
    name: tool.name,
    ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }),
    [isFree ? 'input' : 'arguments']: whole,
  })
  const place = add({ toJson: now })
  const where = { item_id: id, output_index: place }
  return {
    id: callId,
    say: (delta) => {
      args += delta
      if (!isFree) tell('response.function_call_arguments.delta', { ...where, delta })
    },
    end: (emitsDone) => {
      whole = isFree ? freeInput(args) : args
      if (!emitsDone) return
      if (isFree) {
        if (whole !== '') tell('response.custom_tool_call_input.delta', { ...where, delta: whole })
        tell('response.custom_tool_call_input.done', { ...where, input: whole })
      } else tell('response.function_call_arguments.done', { ...where, name: tool.name, arguments: whole })
      tell('response.output_item.done', { output_index: place, item: now('completed') })
    },
  }
}
