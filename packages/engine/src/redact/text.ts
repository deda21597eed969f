import { assignmentShapes, authorizationShape, bearerShape } from './assignments.ts'
import { jwtShape, pemShape, urlShape } from './blocks.ts'
import { keyShapes, openAiShape } from './keys.ts'
import { createFinder } from './literals.ts'
import type { Shape } from './shape.ts'

const SHAPES: readonly Shape[] = [
  pemShape,
  authorizationShape,
  bearerShape,
  ...assignmentShapes,
  openAiShape,
  ...keyShapes,
  jwtShape,
  urlShape,
]

const find = createFinder(SHAPES.map((shape) => shape.literal))

/** No secret we know is shorter, its name included. */
const LEAST = 8

export interface Redacted {
  readonly text: string
  readonly removed: number
}

export const marker = (label: string): string => `[redacted:${label}]`

/** Takes the secrets out of a text; the time it needs grows with the length alone. */
export function redactText(text: string): Redacted {
  if (text.length < LEAST) return { text, removed: 0 }
  let result = ''
  let copied = 0
  let removed = 0
  let barren: Uint32Array | undefined
  find(text, (index, start, end) => {
    barren ??= new Uint32Array(SHAPES.length)
    if (start < (barren[index] as number)) return end
    const found = (SHAPES[index] as Shape).look(text, start, end)
    if (typeof found === 'number') {
      barren[index] = found
      return end
    }
    result += text.slice(copied, found.start) + marker(found.label)
    copied = found.end
    removed += 1
    return found.end
  })
  return removed === 0 ? { text, removed } : { text: result + text.slice(copied), removed }
}
