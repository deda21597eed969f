import { hermesToolSucceeded } from '@panoptes/engine/sources'
import { type Fields, toFieldList, toFields, toText } from '../fields.ts'
import { cutText, toLabel, toSafeDetail } from '../plain-text.ts'
import type { RuntimeEvent, RuntimeProgress } from '../port.ts'

interface Call {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly input: unknown
  readonly began: number
  output: unknown
  status: RuntimeProgress['status']
}

const MOST_CALLS = 1_000
const MAX_STORED_CALLS = 200

/**
 * The tool calls of one answer. Some streams give only a name; then the first call that started is
 * taken as the first that ended.
 */
export class HermesTools {
  readonly #calls: Call[] = [];

  *start(name: string, label: string, input: unknown, id?: string): Generator<RuntimeEvent> {
    if (this.#calls.length >= MOST_CALLS) return
    const call: Call = {
      id: id ? `tool-${id.slice(0, 100)}` : `tool-${this.#calls.length + 1}`,
      name: toLabel(name, 'tool'),
      label: toLabel(label || name, 'tool'),
      input,
      began: Date.now(),
      output: undefined,
      status: 'started',
    }
    this.#calls.push(call)
    yield callProgress(call)
  }

  *finish(
    name: string,
    status: 'completed' | 'failed',
    more: { readonly id?: string; readonly output?: unknown; readonly seconds?: unknown } = {},
  ): Generator<RuntimeEvent> {
    const open = this.#calls.filter((call) => call.status === 'started')
    const call =
      open.find(({ id }) => more.id !== undefined && id === `tool-${more.id.slice(0, 100)}`) ??
      open.find((one) => more.id === undefined && one.name === toLabel(name, 'tool'))
    if (call === undefined) return
    call.output = more.output
    call.status = callStatus(status, more.output)
    const { seconds } = more
    yield callProgress(
      call,
      typeof seconds === 'number' && seconds >= 0 ? Math.round(seconds * 1_000) : undefined,
    )
  }

  /** Takes the results from the turn's transcript, in the order of the calls. */
  addResults(messages: unknown): void {
    const left = this.#calls.filter(({ output }) => output === undefined)
    for (const message of toFieldList(messages)) {
      if (message.role !== 'tool') continue
      const name = toText(message.tool_name) || toText(message.name)
      const at = left.findIndex((call) => name === '' || call.name === name)
      const [call] = at < 0 ? [] : left.splice(at, 1)
      if (call) call.output = message.content
    }
  }

  /** Ends open calls and yields all of them for storage. */
  *end(status: 'completed' | 'skipped'): Generator<RuntimeEvent> {
    for (const call of this.#calls) {
      if (call.status !== 'started') continue
      call.status = status
      yield callProgress(call)
    }
    if (this.#calls.length === 0) return
    const data = this.#calls.slice(0, MAX_STORED_CALLS).map(({ name, label, input, output, status }) => ({
      name,
      ...(input === undefined || input === null
        ? { input: { preview: label } }
        : { input: toSafeDetail(input) }),
      ...(output === undefined || output === null ? {} : { output: formatOutput(output) }),
      // A cancelled call is neither success nor failure.
      ok: status === 'skipped' ? null : status === 'completed',
    }))
    yield { type: 'attachment', attachment: { kind: 'tools', title: 'Tools', data } }
  }
}

/** Hermes calls every end "completed". Only the result says that a call failed, or that it was denied. */
function callStatus(status: 'completed' | 'failed', output: unknown): 'completed' | 'failed' | 'skipped' {
  if (output === undefined || output === null) return status
  const hasSucceeded = hermesToolSucceeded(typeof output === 'string' ? output : JSON.stringify(output))
  return hasSucceeded === null ? 'skipped' : hasSucceeded ? status : 'failed'
}

const formatOutput = (output: unknown): unknown =>
  typeof output === 'string' ? toSafeDetail(cutText(output)) : toSafeDetail(output)

const callProgress = (
  { id, name, label, input, output, status, began }: Call,
  elapsed?: number,
): RuntimeProgress => ({
  type: 'progress',
  node_id: id,
  kind: 'tool',
  status,
  label,
  detail: toSafeDetail({
    tool: name,
    ...(input === undefined || input === null ? {} : { input }),
    ...(output === undefined || output === null ? {} : { output }),
  }),
  ...(status === 'started' || status === 'skipped' ? {} : { elapsed_ms: elapsed ?? Date.now() - began }),
})

/** Reports a task that was delegated to another agent. */
export function subagentProgress(data: Fields, status: 'started' | 'completed' | 'failed'): RuntimeProgress {
  const { subagent_id, child_session_id, goal, preview, model, summary, duration_seconds } = data
  const seconds = typeof duration_seconds === 'number' ? duration_seconds : null
  return {
    type: 'progress',
    node_id: `subagent-${(toText(subagent_id) || toText(child_session_id) || 'one').slice(0, 100)}`,
    kind: 'subagent',
    status,
    label: toLabel(toText(goal) || toText(preview) || toText(summary), 'Sub-agent'),
    detail: toFields(toSafeDetail({ session_id: child_session_id, model, goal, summary })),
    ...(status === 'started' || seconds === null ? {} : { elapsed_ms: Math.round(seconds * 1_000) }),
  }
}
