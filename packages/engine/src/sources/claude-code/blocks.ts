import type { ContentBlock } from '@panoptes/schema'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** What a row's message says, in our words. What is not known is kept as text, never dropped. */
export function blocksOf(row: Fields): readonly ContentBlock[] {
  const { content } = fieldsOf(row.message)
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).flatMap((block) => blockOf(fieldsOf(block), row))
}

function blockOf(block: Fields, row: Fields): readonly ContentBlock[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: String(block.text ?? '') }]
    case 'thinking':
      return [{ type: 'reasoning', text: String(block.thinking ?? '') }]
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '' }]
    case 'image':
      return [imageOf(block)]
    case 'tool_use':
    case 'server_tool_use':
      return [
        {
          type: 'tool_call',
          id: String(block.id ?? ''),
          tool: textOf(block.name) ?? 'unknown',
          input: block.input ?? null,
        },
      ]
    case 'tool_result':
      return resultOf(block, row)
    default:
      return [{ type: 'text', text: JSON.stringify(block) }]
  }
}

function imageOf(block: Fields): ContentBlock {
  const source = fieldsOf(block.source)
  return { type: 'image', media_type: textOf(source.media_type), data: textOf(source.data) }
}

/** A result's images follow it: the vocabulary keeps its text alone. */
function resultOf(block: Fields, row: Fields): readonly ContentBlock[] {
  const parts = typeof block.content === 'string' ? [] : listOf(block.content).map(fieldsOf)
  const texts = parts.filter((part) => part.type !== 'image').map((part) => textOf(part.text) ?? '')
  const text =
    typeof block.content === 'string' ? block.content : texts.filter((each) => each !== '').join('\n')
  const { durationMs, totalDurationMs } = fieldsOf(row.toolUseResult)
  const duration = [durationMs, totalDurationMs].find((value) => typeof value === 'number') as
    | number
    | undefined
  return [
    {
      type: 'tool_result',
      id: String(block.tool_use_id ?? ''),
      ok: block.is_error !== true,
      text,
      duration_ms: duration === undefined ? null : Math.round(duration),
    },
    ...parts.filter((part) => part.type === 'image').map(imageOf),
  ]
}
