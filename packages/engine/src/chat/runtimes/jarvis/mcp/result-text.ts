import { fieldsOf, listOf, textOf } from '../../fields.ts'

/** What a tool gave, as a model reads it. */
export function resultText(result: unknown): string {
  const { content, structuredContent } = fieldsOf(result)
  const said = listOf(content)
    .map(blockText)
    .filter((text) => text !== '')
  if (said.length > 0) return said.join('\n')
  return structuredContent === undefined ? '' : (JSON.stringify(structuredContent) ?? '')
}

function blockText({
  type,
  text,
  data,
  mimeType,
  resource,
  uri,
  name,
}: Readonly<Record<string, unknown>>): string {
  if (type === 'text') return textOf(text)
  if (type === 'image' || type === 'audio')
    return `[${type} ${textOf(mimeType)}, ${Math.floor((textOf(data).length * 3) / 4)} bytes, not shown]`
  if (type === 'resource_link') return `[${textOf(name) || 'resource'}: ${textOf(uri)}]`
  if (type !== 'resource') return ''
  const of = fieldsOf(resource)
  return textOf(of.text) || `[resource ${textOf(of.uri)}, not text]`
}
