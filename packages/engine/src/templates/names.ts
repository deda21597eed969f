import { failure, type Result, success, type TaskType } from '@panoptes/schema'

const MOST_BYTES = 120
const UNSAFE = /[^\p{L}\p{M}\p{N} ._-]/u
/** Names that Windows treats as devices, whatever follows the dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(?:\.|$)/i
const OF_SESSION = 8

/**
 * Validates a name that can be a file name on any system. An invalid name is rejected rather than
 * changed.
 */
export function checkTemplateName(rawName: string): Result<string> {
  const name = rawName.normalize('NFC')
  if (name === '') return refuseName(name, 'it is empty')
  const wrong = UNSAFE.exec(name)?.[0]
  if (wrong !== undefined) return refuseName(name, `${escapeName(wrong)} cannot be in it`)
  // A leading dash would be parsed as an option.
  if (/^[. -]/.test(name)) return refuseName(name, 'it starts with a dot, a space or a dash')
  if (/[. ]$/.test(name)) return refuseName(name, 'it ends with a dot or a space')
  if (Buffer.byteLength(name) > MOST_BYTES) return refuseName(name, `it is longer than ${MOST_BYTES} bytes`)
  if (DEVICE.test(name.trim())) return refuseName(name, 'Windows reserves this name')
  return success(name)
}

/**
 * Finds the one with this name. Unicode normalization is ignored unless there is an exact match.
 */
export function findByName<T extends { readonly template: { readonly name: string } }>(
  all: readonly T[],
  requestedName: string,
): T | undefined {
  const name = requestedName.normalize('NFC')
  return (
    all.find(({ template }) => template.name === requestedName) ??
    all.find(({ template }) => template.name.normalize('NFC') === name)
  )
}

/** Normalizes names that some systems treat as equal, including letter case. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC').trim()

/** Built from the kind of work, the session and the second. */
export function createDefaultName(type: TaskType, session: string, now: number): string {
  const [...letters] = session.normalize('NFC').slice(0, 4 * OF_SESSION)
  const id = letters.slice(0, OF_SESSION).map((letter) => (UNSAFE.test(letter) ? '-' : letter))
  return `${type}_${id.join('')}_${Math.floor(now / 1_000)}`
}

/**
 * Sessions of one day share their first eight characters, and two templates may be made within a
 * second.
 */
export function findFreeName(name: string, taken: ReadonlySet<string> = new Set()): string {
  const keys = new Set([...taken].map(nameKey))
  let free = name
  for (let number = 2; keys.has(nameKey(free)); number++) free = `${name}_${number}`
  return free
}

const refuseName = (name: string, why: string): Result<string> =>
  failure(
    'invalid',
    `"${escapeName(name)}" cannot be the name of a template: ${why}. Use letters, digits, spaces, ".", "_" and "-".`,
  )

const escapeName = (text: string): string =>
  [...text.slice(0, 80)].map((letter) => (/\p{C}/u.test(letter) ? '?' : letter)).join('')
