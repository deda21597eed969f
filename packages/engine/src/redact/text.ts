import { visitBase64 } from './base64.ts'
import { jwtShape, pemShape, urlShapes } from './blocks.ts'
import { commandShapes } from './commands.ts'
import { credentialShapes } from './credentials.ts'
import { decode, ESCAPE_STARTS, isEscape } from './encoded.ts'
import { authorizationShape, bearerShape, cookieShape } from './headers.ts'
import { INVISIBLE_CHARACTERS } from './invisible.ts'
import { keyShapes, openAiShape } from './keys.ts'
import { createFinder } from './literals.ts'
import { NAMES } from './secret-names.ts'
import type { Found, Secret, Shape } from './shape.ts'
import { partShapes } from './token-shapes.ts'
import { looksSecret } from './value.ts'
import { valueAfter, wholeEnd } from './value-after-name.ts'

/** `password=…`, `"api_key": "…"`, `--token …`: only the value is replaced. */
const assignmentShapes: readonly Shape[] = NAMES.map(([literal, label, strength]) => ({
  literal,
  look: (text, start, end) => {
    const value = valueAfter(text, start, end)
    if (!value) return end
    const { around } = value
    if (around !== undefined && strength !== 'password') return end
    if (!looksSecret(text.slice(value.start, value.end), value.setting, strength)) return end
    const secret = { label, start: value.start, end: wholeEnd(text, value) }
    return around === undefined ? secret : { ...secret, around }
  },
}))

const SHAPES: readonly Shape[] = [
  pemShape,
  authorizationShape,
  bearerShape,
  cookieShape,
  ...assignmentShapes,
  ...commandShapes,
  openAiShape,
  ...keyShapes,
  ...partShapes,
  ...credentialShapes,
  jwtShape,
  ...urlShapes,
]

/** One automaton serves both, so that a text without escapes pays nothing for them. */
const find = createFinder(
  [...SHAPES.map((shape) => shape.literal), ...ESCAPE_STARTS, INVISIBLE_CHARACTERS.charAt(0)],
  INVISIBLE_CHARACTERS,
)

/** No known secret is shorter, including its name. */
const LEAST = 8

export interface Redacted {
  readonly text: string
  readonly removed: number
}

export const marker = (label: string): string => `[redacted:${label}]`

/**
 * The text around a removed secret may look like one itself, so the text is scanned again, up to this often.
 */
const MOST_PASSES = 8

/** Removes the secrets from a text in time linear in its length. */
export function redactText(text: string): Redacted {
  if (text.length < LEAST) return { text, removed: 0 }
  let clean = text
  let removed = 0
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const secrets = findSecrets(clean)
    if (secrets === undefined) break
    const next = replaceSecrets(clean, secrets)
    clean = next.text
    removed += next.removed
  }
  return { text: clean, removed }
}

const WORD_END: ReadonlySet<string> = new Set(' \t\r\n"\',')
/** No secret is longer, except keys in blocks, which are recognised from a part. */
const LONGEST_WORD = 3_200

/**
 * Removes the secrets from the beginning of a text: `length` characters and the rest of the last word, because
 * part of a secret is not recognised as one. Whoever shortens a text uses this before the cut.
 */
export function redactBeginning(text: string, length: number): Redacted {
  const most = Math.min(text.length, length + LONGEST_WORD)
  let end = Math.min(text.length, length)
  while (end < most && !WORD_END.has(text[end] ?? '')) end += 1
  return redactText(text.slice(0, end))
}

/** Base64 within base64, and escapes within either, are followed to this depth. */
const MOST_LAYERS = 3

/** Finds secrets in plain text, in base64, and behind escapes. */
function findSecrets(text: string): readonly Secret[] | undefined {
  const secrets: Secret[] = []
  search(text, 1, secrets)
  return secrets.length === 0 ? undefined : secrets
}

const NO_BREAKS: ReadonlySet<number> = new Set()

function search(text: string, layer: number, secrets: Secret[], breaks = NO_BREAKS): void {
  const escapes = scan(text, secrets, breaks)
  scanBase64(text, layer, secrets)
  if (escapes.length > 0 && layer < MOST_LAYERS) scanEscapes(text, escapes, layer, secrets)
}

/**
 * Adds the secrets it finds and returns positions of possible escapes. A word may begin at a break, whatever
 * precedes it.
 */
function scan(text: string, secrets: Secret[], breaks: ReadonlySet<number>): number[] {
  const escapes: number[] = []
  let barren: Uint32Array | undefined
  find(text, (index, start, end) => {
    const shape = SHAPES[index]
    if (shape === undefined) {
      if (isEscape(text, start)) escapes.push(start)
      return end
    }
    barren ??= new Uint32Array(SHAPES.length)
    if (start < (barren[index] as number)) return end
    const fresh = breaks.has(start) ? lookFrom(shape, text, start, end) : undefined
    const found = fresh === undefined || typeof fresh === 'number' ? shape.look(text, start, end) : fresh
    if (typeof found === 'number') {
      barren[index] = found
      return end
    }
    if ('label' in found) {
      secrets.push(found)
      return found.end
    }
    for (const secret of found.secrets) secrets.push(secret)
    barren[index] = found.until
    return end
  })
  return escapes
}

/** Matches as if nothing preceded the position. */
function lookFrom(shape: Shape, text: string, start: number, end: number): Found {
  const found = shape.look(text.slice(start), 0, end - start)
  if (typeof found === 'number') return found + start
  const shiftSecret = (secret: Secret): Secret => ({
    ...secret,
    start: secret.start + start,
    end: secret.end + start,
  })
  return 'label' in found
    ? shiftSecret(found)
    : { secrets: found.secrets.map(shiftSecret), until: found.until + start }
}

/** Base64 may begin anywhere in the encoded text, so a key in it may look like the end of a word. */
const CUT_BY = [0, 1, 2]
const LONGEST_CUT = 512

function scanBase64(text: string, layer: number, secrets: Secret[]): void {
  visitBase64(text, (decoded) => {
    for (const by of CUT_BY) {
      const found: Secret[] = []
      if (by > 0) scan(decoded.text.slice(by, LONGEST_CUT), found, NO_BREAKS)
      else if (layer < MOST_LAYERS) search(decoded.text, layer + 1, found)
      else scan(decoded.text, found, NO_BREAKS)
      for (const { label, start, end } of found)
        secrets.push({ label, ...decoded.range(start + by, end + by) })
    }
  })
}

/**
 * Before an escape, this much text is examined, because it may contain the name of the value. After it, a key
 * may continue for `AFTER_ESCAPE`.
 */
const BEFORE_ESCAPE = 256
const AFTER_ESCAPE = 768

/** Scans the places with escapes again in decoded form. */
function scanEscapes(text: string, escapes: number[], layer: number, secrets: Secret[]): void {
  let read = 0
  for (let next = 0; next < escapes.length; ) {
    const first = escapes[next] as number
    if (first < read) {
      next += 1
      continue
    }
    let end = first + AFTER_ESCAPE
    while (next < escapes.length && (escapes[next] as number) - BEFORE_ESCAPE <= end) {
      end = (escapes[next] as number) + AFTER_ESCAPE
      next += 1
    }
    read = scanRegion(text, Math.max(read, first - BEFORE_ESCAPE, 0), end, layer, secrets)
  }
}

/** Returns how far it read. A secret at the end of the region is read to its own end. */
function scanRegion(text: string, start: number, least: number, layer: number, secrets: Secret[]): number {
  for (let end = Math.min(least, text.length); ; end = Math.min(text.length, end + 2 * (end - start))) {
    const view = decode(text, start, end)
    if (view === undefined) return end
    const found: Secret[] = []
    search(view.text, layer + 1, found, view.breaks)
    if (end < text.length && found.some((secret) => secret.end === view.text.length)) continue
    for (const secret of found) {
      // A match at the start of the region may be the end of a longer word.
      if (secret.start > 0 || start === 0)
        secrets.push({ label: secret.label, ...view.range(secret.start, secret.end) })
    }
    return end
  }
}

/** Of overlapping secrets, the first and longest determines the label. */
function replaceSecrets(text: string, secrets: readonly Secret[]): Redacted {
  let result = ''
  let copied = 0
  let removed = 0
  for (const secret of secrets.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (secret.start >= copied) {
      const { around = '' } = secret
      result += text.slice(copied, secret.start) + around + marker(secret.label) + around
      removed += 1
    }
    copied = Math.max(copied, secret.end)
  }
  return { text: result + text.slice(copied), removed }
}
