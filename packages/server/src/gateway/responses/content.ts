import { type Fields, fields, text } from './shape.ts'

const DETAILS = ['auto', 'low', 'high']

/** Words alone are one text; with images and files they are parts. */
export function chatContent(content: unknown): unknown {
  if (typeof content === 'string' || !Array.isArray(content)) return content ?? ''
  const parts = content.map(fields)
  return parts.every(isWords) ? wordsOf(content) : parts.flatMap(chatPart)
}

export const wordsOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map(fields).filter(isWords).map(words).join('\n')
      : ''

export const imagesIn = (content: readonly unknown[]): readonly Fields[] =>
  content.map(fields).filter(isImage).flatMap(chatPart)

const isImage = ({ type }: Fields): boolean => type === 'input_image'
const isWords = ({ type }: Fields): boolean => /^(?:(?:input_|output_)?text|refusal)$/.test(text(type))
const words = (part: Fields): string => text(part.text ?? part.refusal)

function chatPart(part: Fields): Fields[] {
  if (isWords(part)) return [{ type: 'text', text: words(part) }]
  const { type, image_url: url, detail, file_data, file_id, filename } = part
  if (isImage(part)) {
    const seen = typeof detail === 'string' && DETAILS.includes(detail) ? { detail } : {}
    return [{ type: 'image_url', image_url: { url, ...seen } }]
  }
  if (type === 'input_file') return [{ type: 'file', file: { file_data, file_id, filename } }]
  return type === 'input_audio' ? [part] : []
}
