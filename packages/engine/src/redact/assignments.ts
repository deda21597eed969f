import { valueAfter, wholeEnd } from './after.ts'
import { NAMES } from './names.ts'
import type { Shape } from './shape.ts'
import { looksSecret } from './value.ts'

/** `password=…`, `"api_key": "…"`, `--token …`: only the value goes. */
export const assignmentShapes: readonly Shape[] = NAMES.map(([literal, label, strength]) => ({
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
