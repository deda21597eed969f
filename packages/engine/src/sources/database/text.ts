const decoder = new TextDecoder()

/** Reads a column as text, whatever its storage type; null when empty. */
export function columnText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  if (value instanceof Uint8Array) return decoder.decode(value) || null
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return null
}
