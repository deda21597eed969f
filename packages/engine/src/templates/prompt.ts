type Given = Readonly<Record<string, unknown>>

/** The words of the first message of a person, whatever form its provider gives it. */
export function promptOf(messages: readonly Given[]): string | undefined {
  const first = messages.find(({ role }) => role === 'user')
  if (first === undefined) return undefined
  const { content } = first
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = content.flatMap((block: unknown) =>
    typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
      ? [block.text]
      : [],
  )
  return texts.length > 0 ? texts.join('\n') : undefined
}
