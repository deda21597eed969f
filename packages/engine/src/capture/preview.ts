const PREVIEW = 200

/** One line, not longer than a preview; what was cut ends with an ellipsis. */
export function preview(text: string, limit = PREVIEW): string {
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`
}

/** The field of a tool's input that tells a person what it does. */
const TELLING = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'skill',
  'description',
  'prompt',
  'path',
]

export function inputPreview(
  input: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  if (!input) return undefined
  for (const name of TELLING) {
    const value = input[name]
    if (typeof value === 'string' && value !== '') return preview(value)
  }
  return undefined
}
