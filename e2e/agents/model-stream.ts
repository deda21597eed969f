import { randomBytes } from 'node:crypto'
import type { Turn } from './script.ts'

interface Block {
  readonly start: Readonly<Record<string, unknown>>
  readonly delta: Readonly<Record<string, unknown>>
  readonly whole: Readonly<Record<string, unknown>>
}

const USAGE = { input_tokens: 120, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/** A reply as one document, for a client that does not stream. */
export const replyDocument = (turn: Turn, model: string) => ({
  ...envelope(model),
  content: blocksOf(turn).map(({ whole }) => whole),
  stop_reason: stopReason(turn),
  usage: { ...USAGE, output_tokens: 20 },
})

/** The same reply as stream events in order. */
export function replyEvents(turn: Turn, model: string): readonly string[] {
  const message = {
    ...envelope(model),
    content: [],
    stop_reason: null,
    usage: { ...USAGE, output_tokens: 1 },
  }
  return [
    event({ type: 'message_start', message }),
    ...blocksOf(turn).flatMap(({ start, delta }, index) => [
      event({ type: 'content_block_start', index, content_block: start }),
      event({ type: 'content_block_delta', index, delta }),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: stopReason(turn), stop_sequence: null },
      usage: { output_tokens: 20 },
    }),
    event({ type: 'message_stop' }),
  ]
}

const event = (data: { readonly type: string } & Readonly<Record<string, unknown>>): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const envelope = (model: string) => ({
  id: `msg_${randomBytes(8).toString('hex')}`,
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
})

const stopReason = ({ calls = [] }: Turn): string => (calls.length > 0 ? 'tool_use' : 'end_turn')

function blocksOf({ text, calls = [] }: Turn): readonly Block[] {
  const said = text ?? (calls.length === 0 ? 'ok' : '')
  const words: Block[] =
    said === ''
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            delta: { type: 'text_delta', text: said },
            whole: { type: 'text', text: said },
          },
        ]
  const uses = calls.map(({ tool, input }): Block => {
    const use = { type: 'tool_use', id: `toolu_${randomBytes(8).toString('hex')}`, name: tool }
    return {
      start: { ...use, input: {} },
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      whole: { ...use, input },
    }
  })
  return [...words, ...uses]
}
