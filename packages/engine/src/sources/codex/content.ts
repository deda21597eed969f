import type { ContentBlock } from '@panoptes/schema'
import { type Fields, toFields, toList, toText } from '../fields.ts'
import { imageBlock } from '../image-block.ts'

/** Converts an item's content. Unknown parts are kept as text, never dropped. */
export function toBlocks(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return toList(content)
    .map(toFields)
    .filter((part) => part.type !== 'encrypted_content')
    .map(toBlock)
}

/** Returns only the texts. */
export const textsIn = (content: unknown): readonly string[] =>
  toBlocks(content).flatMap((block) => (block.type === 'text' ? [block.text] : []))

function toBlock(part: Fields): ContentBlock {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return { type: 'text', text: String(part.text ?? '') }
    case 'refusal':
      return { type: 'text', text: String(part.refusal ?? '') }
    case 'input_image':
      return imageBlock(toText(part.image_url))
    default:
      return { type: 'text', text: JSON.stringify(part) }
  }
}
