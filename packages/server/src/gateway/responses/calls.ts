import type { Add, Tell } from './output.ts'
import { type Fields, fields, newId, text } from './shape.ts'
import { freeInput, type Tool, type Tools } from './tools.ts'

interface Calls {
  readonly take: (piece: Fields) => void
  readonly end: (isTold: boolean) => void
}

/** Calls of tools come in pieces that may be mixed, so that all of them end with the answer. */
export function createCalls(tools: Tools, add: Add, tell: Tell): Calls {
  const calls = new Map<number, Call>()
  let highest = -1
  const placeOf = ({ index, id }: Fields): number => {
    const at = typeof index === 'number' ? index : highest + 1
    const there = calls.get(at)?.id
    // Some number all their calls 0; another id is another call.
    return typeof id === 'string' && id !== '' && there !== undefined && there !== id ? highest + 1 : at
  }
  return {
    take: (piece) => {
      const at = placeOf(piece)
      const { name, arguments: given } = fields(piece.function)
      let call = calls.get(at)
      if (call === undefined) {
        call = startCall(text(piece.id) || newId('call'), tools.called(text(name)), add, tell)
        calls.set(at, call)
        highest = Math.max(highest, at)
      }
      const more = typeof given === 'object' && given !== null ? JSON.stringify(given) : text(given)
      if (more !== '') call.say(more)
    },
    end: (isTold) => {
      for (const call of calls.values()) call.end(isTold)
    },
  }
}

interface Call {
  readonly id: string
  readonly say: (delta: string) => void
  readonly end: (isTold: boolean) => void
}

function startCall(callId: string, tool: Tool, add: Add, tell: Tell): Call {
  const isFree = tool.kind === 'custom'
  const id = newId(isFree ? 'ctc' : 'fc')
  let given = ''
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
  const place = add({ now })
  const where = { item_id: id, output_index: place }
  return {
    id: callId,
    say: (delta) => {
      given += delta
      if (!isFree) tell('response.function_call_arguments.delta', { ...where, delta })
    },
    end: (isTold) => {
      whole = isFree ? freeInput(given) : given
      if (!isTold) return
      if (isFree) {
        if (whole !== '') tell('response.custom_tool_call_input.delta', { ...where, delta: whole })
        tell('response.custom_tool_call_input.done', { ...where, input: whole })
      } else tell('response.function_call_arguments.done', { ...where, name: tool.name, arguments: whole })
      tell('response.output_item.done', { output_index: place, item: now('completed') })
    },
  }
}
