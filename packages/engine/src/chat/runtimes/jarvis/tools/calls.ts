import { randomUUID } from 'node:crypto'
import type { ChatMessage } from '@panoptes/engine/models'
import type { Compartment } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import type { OwnTool } from '../../../own-tools/own-tools.ts'
import { toFieldList, toFields, toText } from '../../fields.ts'

/** A model's call in a form that can be answered. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Null if the arguments are not a JSON object. */
  readonly input: Readonly<Record<string, unknown>> | null
}

/** The maximum number of calls per reply that are answered. */
const MOST_CALLS = 32
const MOST_NAME = 200

/** A tool that a model may call. It never throws. */
export interface JarvisTool extends OwnTool {
  /**
   * The identity that lasting approvals apply to; another tool of the same name has another
   * identity.
   */
  readonly identity: string
  /** The MCP server of the tool, unless it is our own. */
  readonly server?: string | undefined
}

const MOST_CONVERSATIONS = 500
const MOST_ALWAYS = 200

/**
 * Returns the calls of a reply, and the reply as it is added to the conversation: with a unique id
 * for each call and valid JSON input.
 */
export function readCalls(message: ChatMessage): {
  readonly calls: readonly ToolCall[]
  readonly message: ChatMessage
} {
  const made = toFieldList(message.tool_calls).slice(0, MOST_CALLS)
  if (made.length === 0) return { calls: [], message }
  const taken = new Set<string>()
  const calls = made.map((rawCall): ToolCall => {
    const { name, arguments: input } = toFields(rawCall.function)
    const rawId = toText(rawCall.id)
    const id =
      rawId === '' || taken.has(rawId) ? `call_${randomUUID().replaceAll('-', '').slice(0, 24)}` : rawId
    taken.add(id)
    return { id, name: toText(name).slice(0, MOST_NAME), input: parseInput(input) }
  })
  const tool_calls = made.map((rawCall, at) => {
    const { id, name, input } = calls[at] as ToolCall
    const { index: _index, ...rest } = rawCall
    const called = { ...toFields(rawCall.function), name: name || 'unnamed' }
    return {
      ...rest,
      id,
      type: 'function',
      function: input === null ? { ...called, arguments: '{}' } : fillArguments(called),
    }
  })
  return { calls, message: { ...message, tool_calls } }
}

/** Some models send no arguments if none are needed. */
const fillArguments = (called: Readonly<Record<string, unknown>>) =>
  toText(called.arguments).trim() === '' ? { ...called, arguments: '{}' } : called

function parseInput(rawInput: unknown): ToolCall['input'] {
  if (isPlainObject(rawInput)) return rawInput
  const text = toText(rawInput)
  if (text.trim() === '') return {}
  try {
    const value: unknown = parseJson(text)
    return isPlainObject(value) ? value : null
  } catch {
    return null
  }
}

/** Approvals for the rest of a conversation. They end with the process. */
export class ConversationApprovals {
  readonly #tools = new Map<string, Set<string>>()

  has(conversation: string, identity: string): boolean {
    return this.#tools.get(conversation)?.has(identity) === true
  }

  add(conversation: string, identity: string): void {
    const tools = this.#tools.get(conversation) ?? new Set()
    tools.add(identity)
    this.#tools.delete(conversation)
    this.#tools.set(conversation, tools)
    const [oldest] = this.#tools.keys()
    if (this.#tools.size > MOST_CONVERSATIONS && oldest !== undefined) this.#tools.delete(oldest)
  }
}

interface PermanentApproval {
  readonly tool: string
  readonly identity: string
}

/**
 * What may be done in one run without asking. `always` approvals are stored in the state Jarvis
 * continues from.
 */
export class Allowances {
  readonly #granted: ConversationApprovals
  readonly #conversation: string
  readonly #always: PermanentApproval[]

  constructor(granted: ConversationApprovals, conversation: string, continuity: Compartment | null) {
    this.#granted = granted
    this.#conversation = conversation
    this.#always = toFieldList(continuity?.allowed)
      .map(({ tool, identity }) => ({ tool: toText(tool), identity: toText(identity) }))
      .filter(({ identity }) => identity !== '')
      .slice(-MOST_ALWAYS)
  }

  get always(): readonly PermanentApproval[] {
    return this.#always
  }

  has({ identity }: JarvisTool): boolean {
    return (
      this.#granted.has(this.#conversation, identity) ||
      this.#always.some((allowed) => allowed.identity === identity)
    )
  }

  /** Returns whether the user's answer allows the call now. */
  decide({ name, identity }: JarvisTool, choice: string | null): boolean {
    if (choice === 'session' || choice === 'always') this.#granted.add(this.#conversation, identity)
    if (choice === 'always') this.#always.push({ tool: name, identity })
    if (this.#always.length > MOST_ALWAYS) this.#always.shift()
    return choice === 'once' || choice === 'session' || choice === 'always'
  }
}
