import type { ChatMessage } from '@panoptes/engine/models'
import type { Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { asToolData, cutResult } from '../../../own-tools/own-tools.ts'
import { raceAbort } from '../../abort-race.ts'
import { cutText, toLabel, toSafeDetail } from '../../plain-text.ts'
import type { RunContext, RuntimeEvent } from '../../port.ts'
import type { Allowances, JarvisTool, ToolCall } from './calls.ts'

export interface ToolboxOptions {
  readonly tools: readonly JarvisTool[]
  readonly allowances: Allowances
  readonly folder: string
  readonly owner?: string | null | undefined
  /** A suffix that makes node names unique within the conversation. */
  readonly mark: string
  readonly context: RunContext
  readonly tell: (event: RuntimeEvent) => void
  /** Secrets to remove from every text that is shown. */
  readonly secrets: () => readonly string[]
}

/** A call as it is stored with the answer. */
export interface CalledTool {
  readonly name: string
  readonly input: unknown
  readonly output: string
  /** Null for a call that was denied or interrupted, which is neither success nor failure. */
  readonly ok: boolean | null
}

type CallResult = Result<string> & { readonly isTheirs?: boolean; readonly isDenied?: boolean }

const CHOICES = ['once', 'session', 'always', 'deny'] as const
/** The maximum number of characters of an input and of a result that are shown. */
const MOST_SHOWN = 2_000
const MAX_STORED_CALLS = 100
/**
 * The maximum number of characters of all results a model gets in one run, and of each result after
 * that.
 */
const MOST_IN_ALL = 400_000
const LEAST = 2_000
/** After this many denials the user is not asked again in this run. */
const MOST_DENIED = 3

/** The tools of one run. */
export class Toolbox {
  readonly #options: ToolboxOptions
  readonly #byName: ReadonlyMap<string, JarvisTool>
  readonly #called = new Map<number, CalledTool>()
  readonly #agents = new Map<number, string | undefined>()
  #asking: Promise<unknown> = Promise.resolve()
  #count = 0
  #room = MOST_IN_ALL
  #denied = 0

  constructor(options: ToolboxOptions) {
    this.#options = options
    this.#byName = new Map(options.tools.map((tool) => [tool.name, tool]))
  }

  /** The tool definitions sent to the model. */
  get definitions(): readonly object[] {
    return this.#options.tools.map(({ name, description, schema: parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    }))
  }

  /** Returns the calls so far, in order. */
  get completedCalls(): readonly CalledTool[] {
    return [...this.#called].toSorted(([one], [other]) => one - other).map(([, call]) => call)
  }

  /** Returns the successful calls of an agent, or of the answer itself. */
  successfulCalls(agent: string | undefined): readonly CalledTool[] {
    return [...this.#called].flatMap(([at, call]) =>
      call.ok === true && this.#agents.get(at) === agent ? [call] : [],
    )
  }

  /**
   * Runs all calls of a reply in parallel. Each has a result whatever happens, in the order of the
   * calls.
   */
  run(calls: readonly ToolCall[], agent?: string | undefined): Promise<readonly ChatMessage[]> {
    return Promise.all(
      calls.map(async (call) => ({
        role: 'tool',
        tool_call_id: call.id,
        content: await this.#run(call, agent),
      })),
    )
  }

  async #run(call: ToolCall, parent_id: string | undefined): Promise<string> {
    const { tell, mark } = this.#options
    this.#count += 1
    const at = this.#count
    this.#agents.set(at, parent_id)
    const node_id = `tool-${mark}-${at}`
    const name = toLabel(call.name, 'unnamed')
    const input = this.#toDisplay(call.input)
    const about = {
      type: 'progress',
      node_id,
      ...(parent_id === undefined ? {} : { parent_id }),
      kind: 'tool',
      label: name,
    } as const
    tell({ ...about, status: 'started', detail: { name, input } })
    const began = performance.now()
    const result = await this.#callTool(call, node_id)
    const text = cutResult(result.ok ? result.value : result.message, Math.max(LEAST, this.#room))
    this.#room -= text.length
    const output = this.#preview(text)
    // A call that fails because the person stopped the run did not fail by itself.
    const isSkipped = !result.ok && (result.isDenied || this.#options.context.signal.aborted)
    tell({
      ...about,
      status: isSkipped ? 'skipped' : result.ok ? 'completed' : 'failed',
      detail: { name, input, output },
      ...(isSkipped ? {} : { elapsed_ms: performance.now() - began }),
    })
    if (at <= MAX_STORED_CALLS)
      this.#called.set(at, { name, input, output, ok: isSkipped ? null : result.ok })
    return result.ok || result.isTheirs
      ? `${result.ok ? '' : 'Error: '}${asToolData(name, text)}`
      : `Error: ${text}`
  }

  async #callTool(call: ToolCall, node: string): Promise<CallResult> {
    const { context, folder, owner } = this.#options
    const tool = this.#byName.get(call.name)
    if (tool === undefined)
      return failure(
        'not_found',
        `There is no tool with this name. Available: ${[...this.#byName.keys()].join(', ')}.`,
      )
    if (call.input === null) return failure('invalid', 'The arguments are not a JSON object.')
    const isAllowed = !tool.asks || (await this.#requestApproval(tool, call.input, node))
    if (context.signal.aborted) return failure('stopped', 'It was stopped.')
    if (!isAllowed)
      return {
        ...failure('stopped', 'The person did not allow it. Do not try it again; continue without it.'),
        isDenied: true,
      }
    const limit = AbortSignal.any([context.signal, AbortSignal.timeout(tool.timeoutMs)])
    try {
      const done = await raceAbort(tool.run(call.input, { signal: limit, folder, owner }), limit)
      if (done) return { ...done, isTheirs: tool.server !== undefined }
      return failure('stopped', `It did not answer within ${tool.timeoutMs / 1_000} s.`)
    } catch (error) {
      return failure('io', error instanceof Error ? error.message : 'It failed.')
    }
  }

  /**
   * Approvals are requested one at a time, because an approval for the conversation covers the next
   * call too.
   */
  #requestApproval(tool: JarvisTool, input: object, parent_id: string): Promise<boolean> {
    const { allowances, context } = this.#options
    const decided = this.#asking.then(async () => {
      if (allowances.has(tool)) return true
      if (context.signal.aborted || this.#denied >= MOST_DENIED) return false
      const choice = await context.ask({
        label: `Run ${tool.name}`,
        choices: CHOICES,
        parent_id,
        detail: {
          tool: tool.name,
          ...(tool.server === undefined ? {} : { server: tool.server }),
          description: cutText(tool.description, MOST_SHOWN),
          input: this.#toDisplay(input),
        },
      })
      const isAllowed = allowances.decide(tool, choice)
      if (!isAllowed) this.#denied += 1
      return isAllowed
    })
    this.#asking = decided.catch(() => {})
    return decided
  }

  #toDisplay(input: unknown): unknown {
    const shown = toSafeDetail(input)
    const text = JSON.stringify(shown) ?? ''
    return text.length > MOST_SHOWN ? this.#preview(text) : this.#hideKeys(shown, text)
  }

  #hideKeys(shown: unknown, text: string): unknown {
    return this.#options.secrets().some((secret) => text.includes(secret)) ? this.#preview(text) : shown
  }

  #preview(text: string): string {
    const bounded = toSafeDetail(text.slice(0, 4 * MOST_SHOWN)) as string
    return cutText(maskSecrets(bounded, this.#options.secrets()), MOST_SHOWN)
  }
}

const maskSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce(
    (clean, secret) => (secret.length < 8 ? clean : clean.replaceAll(secret, '[redacted]')),
    text,
  )
