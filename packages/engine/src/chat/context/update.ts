import type { ContextSection } from '@panoptes/schema'

/** A section that an epoch began with, and what is new of it with this message. */
export function withUpdate(frozen: ContextSection, update: ContextSection | undefined): ContextSection {
  if (update === undefined) return frozen
  const { elapsed_ms } = update
  if (update.status === 'unavailable')
    return frozen.text === undefined
      ? update
      : {
          ...frozen,
          elapsed_ms,
          note: joined(frozen.note, `as it was before: ${update.note ?? 'not to be had now'}`),
        }
  if (update.text === undefined)
    return { ...frozen, elapsed_ms, ...(frozen.status === 'unavailable' && { status: 'absent' as const }) }
  return {
    ...frozen,
    status: 'ok',
    chars: frozen.chars + update.chars,
    tokens: frozen.tokens + update.tokens,
    items: frozen.items + update.items,
    left_out: Math.max(frozen.left_out, update.left_out),
    truncated: frozen.truncated || update.truncated,
    text: [frozen.text, update.text].filter((text) => text !== undefined).join('\n\n'),
    note: joined(
      frozen.status === 'unavailable' ? undefined : frozen.note,
      `${update.items} new with this message`,
    ),
    elapsed_ms,
  }
}

const joined = (first: string | undefined, second: string): string =>
  first === undefined ? second : `${first}; ${second}`
