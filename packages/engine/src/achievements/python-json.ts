/** What Python reads in a JSON text; it throws where that is none. Python takes three words for numbers that JSON does not have. */
export function parsePython(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error
    return JSON.parse(withoutOddNumbers(text))
  }
}

const ODD_NUMBER = /-?Infinity|NaN/g

/** What stands in a string stays. Strings are passed over one by one, so that one that does not end costs no more than its length. */
function withoutOddNumbers(text: string): string {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const start = quote < 0 ? text.length : quote
    parts.push(text.slice(at, start).replace(ODD_NUMBER, 'null'))
    at = quote < 0 ? start : endOfString(text, start)
    parts.push(text.slice(start, at))
  }
  return parts.join('')
}

/**
 * JSON as Python writes it after reading it: a space after `,` and `:`, nothing but ASCII, floats with their point. Nothing
 * where the text is no JSON.
 */
export function pythonJson(text: string): string | undefined {
  try {
    parsePython(text)
  } catch {
    return undefined
  }
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at)
    if (char === '"') {
      const end = endOfString(text, at)
      parts.push(ascii(text.slice(at, end)))
      at = end
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const end = endOfNumber(text, at)
      parts.push(number(text.slice(at, end)))
      at = end
    } else {
      if (char === ',' || char === ':') parts.push(`${char} `)
      else if (char > ' ') parts.push(char)
      at += 1
    }
  }
  return parts.join('')
}

function endOfString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1
  return Math.min(at + 1, text.length)
}

const NUMBER = /[\d.eE+-]*/y

function endOfNumber(text: string, from: number): number {
  NUMBER.lastIndex = from
  NUMBER.exec(text)
  return NUMBER.lastIndex
}

const PLAIN_STRING = /^"[ !#-[\]-~]*"$/
const NOT_ASCII = /[\u007f-\uffff]/g

function ascii(literal: string): string {
  if (PLAIN_STRING.test(literal)) return literal
  return JSON.stringify(JSON.parse(literal)).replace(
    NOT_ASCII,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function number(literal: string): string {
  if (!/[.eE]/.test(literal)) return literal === '-0' ? '0' : literal
  return pythonFloat(Number(literal))
}

/** The shortest digits are the same in both languages; where the exponent begins is not. */
function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const [digits = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 16) {
    // JavaScript turns to exponents later than Python in both directions.
    const fixed = String(value)
    return fixed.includes('.') ? fixed : `${fixed}.0`
  }
  const sign = exponent < 0 ? '-' : '+'
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}
