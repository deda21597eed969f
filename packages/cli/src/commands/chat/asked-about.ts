type Fields = Readonly<Record<string, unknown>>

const LONGEST = 2_000

/** What a question is about, in lines for a person: whose tool it is, what that does, and what it is given. */
export function askedAbout(detail: Fields): readonly string[] {
  const { tool, server, description, command, input, content } = detail
  const lines = [
    ...named('Server', server),
    ...named('Tool', server === undefined ? undefined : tool),
    ...(typeof description === 'string' && description !== '' ? [description] : []),
    ...named('Command', command),
    ...given(input),
    ...(Array.isArray(content) ? content.flatMap(wordsOf) : []),
  ]
  return lines
    .join('\n')
    .slice(0, LONGEST)
    .split('\n')
    .filter((line) => line.trim() !== '')
}

const named = (name: string, value: unknown): readonly string[] =>
  typeof value === 'string' && value !== '' ? [`${name}: ${value}`] : []

function given(input: unknown): readonly string[] {
  if (input === undefined || input === null) return []
  if (typeof input !== 'object' || Array.isArray(input)) return [asText(input)]
  return Object.entries(input).map(([name, value]) => `${name}: ${asText(value)}`)
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** What an agent shows with its question: words, or a file as it would be. */
function wordsOf(part: unknown): readonly string[] {
  const { path, newText, content, text } = (part ?? {}) as Fields
  if (typeof path === 'string') return [path, ...(typeof newText === 'string' ? [newText] : [])]
  if (typeof text === 'string') return [text]
  return typeof content === 'object' && content !== null ? wordsOf(content) : []
}
