const decoder = new TextDecoder()

/** A column's text, whatever it was stored as; nothing for an empty one. */
export function columnText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  if (value instanceof Uint8Array) return decoder.decode(value) || null
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return null
}
