import { failure, type Result, success, type TaskType } from '@panoptes/schema'

const MOST_BYTES = 120
const UNSAFE = /[^\p{L}\p{M}\p{N} ._-]/u
/** What Windows takes for a device, whatever follows the dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(?:\.|$)/i
const OF_SESSION = 8

/** A name that may be that of a file anywhere. One that may not is refused rather than changed. */
export function safeName(given: string): Result<string> {
  const name = given.normalize('NFC')
  if (name === '') return refused(name, 'it is empty')
  const wrong = UNSAFE.exec(name)?.[0]
  if (wrong !== undefined) return refused(name, `${shown(wrong)} cannot be in it`)
  // A dash would be an option of a command.
  if (/^[. -]/.test(name)) return refused(name, 'it begins with a dot, a space or a dash')
  if (/[. ]$/.test(name)) return refused(name, 'it ends with a dot or a space')
  if (Buffer.byteLength(name) > MOST_BYTES) return refused(name, `it is longer than ${MOST_BYTES} bytes`)
  if (DEVICE.test(name.trim())) return refused(name, 'Windows has a device of this name')
  return success(name)
}

/** The one of a name; how its accents are written does not matter, where none is written just so. */
export function oneNamed<T extends { readonly template: { readonly name: string } }>(
  all: readonly T[],
  asked: string,
): T | undefined {
  const name = asked.normalize('NFC')
  return (
    all.find(({ template }) => template.name === asked) ??
    all.find(({ template }) => template.name.normalize('NFC') === name)
  )
}

/** The same for names that some systems take for one, whether letters are small or not. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC').trim()

/** By the kind of work, the session and the second it is made in. */
export function defaultName(type: TaskType, session: string, now: number): string {
  const [...letters] = session.normalize('NFC').slice(0, 4 * OF_SESSION)
  const id = letters.slice(0, OF_SESSION).map((letter) => (UNSAFE.test(letter) ? '-' : letter))
  return `${type}_${id.join('')}_${Math.floor(now / 1_000)}`
}

/** Sessions of one day begin with the same eight letters, and two templates may be made in one second. */
export function freeName(name: string, taken: ReadonlySet<string> = new Set()): string {
  const keys = new Set([...taken].map(nameKey))
  let free = name
  for (let number = 2; keys.has(nameKey(free)); number++) free = `${name}_${number}`
  return free
}

const refused = (name: string, why: string): Result<string> =>
  failure(
    'invalid',
    `"${shown(name)}" cannot be the name of a template: ${why}. Use letters, digits, spaces, ".", "_" and "-".`,
  )

const shown = (text: string): string =>
  [...text.slice(0, 80)].map((letter) => (/\p{C}/u.test(letter) ? '?' : letter)).join('')
