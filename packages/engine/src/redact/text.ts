import { assignmentShapes } from './assignments.ts'
import { jwtShape, pemShape, urlShapes } from './blocks.ts'
import { commandShapes } from './commands.ts'
import { authorizationShape, bearerShape, cookieShape } from './headers.ts'
import { keyShapes, openAiShape } from './keys.ts'
import { createFinder } from './literals.ts'
import { partShapes } from './parts.ts'
import type { Secret, Shape } from './shape.ts'

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
  jwtShape,
  ...urlShapes,
]

const find = createFinder(SHAPES.map((shape) => shape.literal))

/** No secret we know is shorter, its name included. */
const LEAST = 8

export interface Redacted {
  readonly text: string
  readonly removed: number
}

export const marker = (label: string): string => `[redacted:${label}]`

/** What stands beside a secret may read as one when it is gone. */
const MOST_PASSES = 8

/** Takes the secrets out of a text; the time it needs grows with the length alone. */
export function redactText(text: string): Redacted {
  if (text.length < LEAST) return { text, removed: 0 }
  let clean = text
  let removed = 0
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const secrets = secretsIn(clean)
    if (secrets === undefined) break
    const next = without(clean, secrets)
    clean = next.text
    removed += next.removed
  }
  return { text: clean, removed }
}

function secretsIn(text: string): readonly Secret[] | undefined {
  let secrets: Secret[] | undefined
  let barren: Uint32Array | undefined
  find(text, (index, start, end) => {
    barren ??= new Uint32Array(SHAPES.length)
    if (start < (barren[index] as number)) return end
    const found = (SHAPES[index] as Shape).look(text, start, end)
    if (typeof found === 'number') {
      barren[index] = found
      return end
    }
    secrets ??= []
    if ('label' in found) {
      secrets.push(found)
      return found.end
    }
    for (const secret of found.secrets) secrets.push(secret)
    barren[index] = found.until
    return end
  })
  return secrets
}

/** Of secrets that overlap, the first and longest tells what they were. */
function without(text: string, secrets: readonly Secret[]): Redacted {
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
