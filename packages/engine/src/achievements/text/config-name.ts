import { CLASS_OF, isWordClass, isWordPoint, SURROGATE } from './classes.ts'

/** With the letters that Python takes for s, k and i, the Kelvin sign among them. */
const IN_NAME = /[a-z0-9_\-\u017f\u212a\u0130\u0131]/i

/**
 * Where a name that ends in `config.` begins: at the leftmost start of a word in the run of letters, digits, `_` and `-` before it.
 * `config.yaml` and `config.yml` need nothing before them. A name begins no earlier than `from`.
 */
export function configBegins(text: string, config: number, from: number): number | undefined {
  let found: number | undefined
  for (let at = config - 1; at >= from && at >= 0 && IN_NAME.test(text.charAt(at)); at -= 1) {
    if (isWordAt(text, at) !== isWordAt(text, at - 1)) found = at
  }
  if (found !== undefined) return found
  const bare = text.startsWith('y', config + 7) || text.startsWith('Y', config + 7)
  return bare && config >= from ? config : undefined
}

function isWordAt(text: string, at: number): boolean {
  if (at < 0) return false
  const on = CLASS_OF[text.charCodeAt(at)] as number
  if (on !== SURROGATE) return isWordClass(on)
  return isWordPoint(text.codePointAt(at - 1) ?? 0) || isWordPoint(text.codePointAt(at) ?? 0)
}
