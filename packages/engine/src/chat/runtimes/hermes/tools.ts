import { boundedDetail, cutText, labelOf } from '../bounded.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
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
const MOST_KEPT = 200

/** The calls of tools in one answer. Some streams name them and no more: then the first that runs is the first that ends. */
export class HermesTools {
  readonly #calls: Call[] = [];

  *started(name: string, label: string, input: unknown, id?: string): Generator<RuntimeEvent> {
    if (this.#calls.length >= MOST_CALLS) return
    const call: Call = {
      id: id ? `tool-${id.slice(0, 100)}` : `tool-${this.#calls.length + 1}`,
      name: labelOf(name, 'tool'),
      label: labelOf(label || name, 'tool'),
      input,
      began: Date.now(),
      output: undefined,
      status: 'started',
    }
    this.#calls.push(call)
    yield told(call)
  }

  *ended(
    name: string,
    status: 'completed' | 'failed',
    more: { readonly id?: string; readonly output?: unknown; readonly seconds?: unknown } = {},
  ): Generator<RuntimeEvent> {
    const open = this.#calls.filter((call) => call.status === 'started')
    const call =
      open.find(({ id }) => more.id !== undefined && id === `tool-${more.id.slice(0, 100)}`) ??
      open.find((one) => more.id === undefined && one.name === labelOf(name, 'tool'))
    if (call === undefined) return
    call.status = status
    call.output = more.output
    const { seconds } = more
    yield told(call, typeof seconds === 'number' && seconds >= 0 ? Math.round(seconds * 1_000) : undefined)
  }

  /** Results as the transcript of the turn has them, in the order of the calls. */
  results(messages: unknown): void {
    const left = this.#calls.filter(({ output }) => output === undefined)
    for (const message of listOf(messages)) {
      if (message.role !== 'tool') continue
      const name = textOf(message.tool_name) || textOf(message.name)
      const at = left.findIndex((call) => name === '' || call.name === name)
      const [call] = at < 0 ? [] : left.splice(at, 1)
      if (call) call.output = message.content
    }
  }

  /** What never ended, and all of them as they are kept. */
  *end(status: 'completed' | 'skipped' | 'failed'): Generator<RuntimeEvent> {
    for (const call of this.#calls) {
      if (call.status !== 'started') continue
      call.status = status
      yield told(call)
    }
    if (this.#calls.length === 0) return
    const data = this.#calls.slice(0, MOST_KEPT).map(({ name, label, input, output, status }) => ({
      name,
      ...(input === undefined || input === null
        ? { input: { preview: label } }
        : { input: boundedDetail(input) }),
      ...(output === undefined || output === null ? {} : { output: shown(output) }),
      ok: status === 'completed',
    }))
    yield { type: 'attachment', attachment: { kind: 'tools', title: 'Tools', data } }
  }
}

const shown = (output: unknown): unknown =>
  typeof output === 'string' ? boundedDetail(cutText(output)) : boundedDetail(output)

const told = (
  { id, name, label, input, output, status, began }: Call,
  elapsed?: number,
): RuntimeProgress => ({
  type: 'progress',
  node_id: id,
  kind: 'tool',
  status,
  label,
  detail: boundedDetail({
    tool: name,
    ...(input === undefined || input === null ? {} : { input }),
    ...(output === undefined || output === null ? {} : { output }),
  }),
  ...(status === 'started' ? {} : { elapsed_ms: elapsed ?? Date.now() - began }),
})

/** A task that was given to another agent. */
export function subagentTold(data: Fields, status: 'started' | 'completed' | 'failed'): RuntimeProgress {
  const { subagent_id, child_session_id, goal, preview, model, summary, duration_seconds } = data
  const seconds = typeof duration_seconds === 'number' ? duration_seconds : null
  return {
    type: 'progress',
    node_id: `subagent-${(textOf(subagent_id) || textOf(child_session_id) || 'one').slice(0, 100)}`,
    kind: 'subagent',
    status,
    label: labelOf(textOf(goal) || textOf(preview) || textOf(summary), 'Sub-agent'),
    detail: fieldsOf(boundedDetail({ session_id: child_session_id, model, goal, summary })),
    ...(status === 'started' || seconds === null ? {} : { elapsed_ms: Math.round(seconds * 1_000) }),
  }
}
