import { randomInt } from 'node:crypto'

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const MIXED = `${LOWER.toUpperCase()}${LOWER}${DIGITS}`
const HEX = `${DIGITS}abcdef`

/** Returns random characters, with a letter of each case and a digit if the alphabet contains them. */
function random(length: number, alphabet = MIXED): string {
  const text = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  const isChance = [/[0-9]/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(text) || !kind.test(alphabet))
  return isChance ? text : random(length, alphabet)
}

const UPPER = `${LOWER.toUpperCase()}${DIGITS}`
const starting = (prefix: string, length: number, alphabet?: string) => () =>
  prefix + random(length, alphabet)

/** Keys of known services, generated for each run so that no file of the repository contains one. */
export const SECRET_KINDS: Readonly<Record<string, () => string>> = {
  github: starting('ghp_', 36),
  'github fine-grained': () => `github_pat_${random(22)}_${random(59)}`,
  gitlab: starting('glpat-', 20),
  'aws id': starting('AKIA', 16, UPPER),
  google: starting('AIza', 35),
  'google oauth': starting('GOCSPX-', 28),
  'azure client secret': () => `${random(3)}8Q~${random(34)}`,
  slack: () => `xoxb-${random(12, DIGITS)}-${random(24)}`,
  stripe: starting('sk_live_', 24),
  openai: starting('sk-proj-', 48),
  anthropic: () => `sk-ant-api03-${random(80)}AA`,
  huggingface: starting('hf_', 34),
  npm: starting('npm_', 36),
  pypi: starting('pypi-AgEIcHlwaS5vcmc', 70),
  sendgrid: () => `SG.${random(22)}.${random(43)}`,
  twilio: starting('SK', 32, HEX),
  telegram: () => `${random(9, '123456789')}1:AA${random(33)}`,
  discord: () => `M${random(25)}.G${random(5)}.${random(38)}`,
  digitalocean: starting('dop_v1_', 64, HEX),
  databricks: starting('dapi', 32, HEX),
  shopify: starting('shpat_', 32, HEX),
  square: starting('sq0atp-', 22),
  mailgun: starting('key-', 32, HEX),
  doppler: starting('dp.st.dev.', 43),
  linear: starting('lin_api_', 40),
  notion: starting('ntn_', 46),
  figma: starting('figd_', 40),
  postman: () => `PMAK-${random(24, HEX)}-${random(34, HEX)}`,
  vault: starting('hvs.', 90),
  age: starting('AGE-SECRET-KEY-1', 58, UPPER),
  jwt: () =>
    ['{"alg":"HS256","typ":"JWT"}', `{"sub":"${random(12)}"}`]
      .map((part) => Buffer.from(part).toString('base64url'))
      .concat(random(43))
      .join('.'),
  panoptes: starting('pn_full_', 43),
}

/** A text with a secret, and how the secret is written there. */
export interface Spelled {
  readonly text: string
  readonly spelled: string
}

type Boundary = (secret: string) => Spelled

const around =
  (before: string, after: string): Boundary =>
  (secret) => ({ text: `${before}${secret}${after}`, spelled: secret })

const spelling =
  (spell: (secret: string) => string, before = 'a ', after = ' z'): Boundary =>
  (secret) => ({ text: `${before}${spell(secret)}${after}`, spelled: spell(secret) })

const unicodeEscapes = (text: string): string =>
  Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

const percent = (text: string): string =>
  text.replace(
    /[^A-Za-z0-9]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Ways in which a key can occur in the output of agents, shells and programs. */
export const BOUNDARIES: Readonly<Record<string, Boundary>> = {
  'between blanks': around('use ', ' here'),
  'after a newline': around('first\n', '\nlast'),
  'after an escaped newline': around('first\\n', '\\nlast'),
  'after an escaped tab': around('first\\t', '\\tlast'),
  'after an escaped carriage return': around('first\\r\\n', '\\r\\nlast'),
  'in JSON within JSON': (secret) => ({
    text: JSON.stringify(JSON.stringify({ out: `first\n${secret}\n"last"` })),
    spelled: secret,
  }),
  'between quotes as code points': around('\\u0022', '\\u0022'),
  'between quotes as bytes': around('\\x22', '\\x22'),
  'after a newline as a long code point': around('first\\U0000000A', '\\U0000000Alast'),
  'between quotes as long code points': around('\\U00000022', '\\U00000022'),
  'after a newline of CSS': around('first\\A ', '\\A last'),
  'after a newline of CSS with four digits': around('first\\000A', '\\A last'),
  'after a newline of CSS with six digits': around('first\\00000A', '\\00000Alast'),
  'after a newline and a blank of CSS': around('first\\00000A ', '\\00000A last'),
  'after an octal newline': around('first\\012', '\\012last'),
  'after an encoded newline': around('first%0A', '%0Alast'),
  'after a newline that is encoded twice': around('first%250A', '%250Alast'),
  coloured: around('\u001b[31m', '\u001b[0m'),
  'coloured, directly after a word': around('key\u001b[1;31m', '\u001b[0m'),
  'coloured, as JSON': around('\\u001b[31m', '\\u001b[0m'),
  'coloured, as C': around('\\x1b[31m', '\\x1b[0m'),
  'coloured, as a shell': around('\\033[31m', '\\033[0m'),
  'coloured, without the escape character': around('[31m', '[0m'),
  'after a private sequence': around('key\u001b[>4;2m', '\u001b[>4m'),
  'after a private sequence, as JSON': around('key\\u001b[>4;2m', '\\u001b[>4m'),
  'after a private sequence, as C': around('key\\x1b[>4;2m', '\\x1b[>4m'),
  'after the shape of the cursor': around('key\u001b[1 q', '\u001b[0 q'),
  'after the shape of the cursor, as JSON': around('key\\u001b[1 q', '\\u001b[0 q'),
  'after the shape of the cursor, as C': around('key\\x1b[1 q', '\\x1b[0 q'),
  'after a stored cursor': around('key\u001b7', '\u001b8'),
  'after a reverse line feed': around('key\u001bM', '\u001bM'),
  'after a reset': around('key\u001bc', '\u001bc'),
  'after an alignment test': around('key\u001b#8', '\u001b#8'),
  'after a reset, as JSON': around('key\\u001bc', '\\u001bc'),
  'after a character set': around('key\u001b(B', '\u001b(B'),
  'after a character set, as JSON': around('key\\u001b(B', '\\u001b(B'),
  'after a character set, as C': around('key\\x1b(B', '\\x1b(B'),
  'with a sequence of any kind in it': spelling(
    (secret) => `${secret.slice(0, 5)}\u001b(B\u001b[>4;2m\u001b[1 q${secret.slice(5)}`,
  ),
  'coloured by one control character, as JSON': around('key\\u009b31m', '\\u009b0m'),
  'after a newline of PowerShell': around('first`n', '`nlast'),
  'after a tab of PowerShell': around('first`t', '`tlast'),
  'after a newline of JavaScript': around('first%u000a', '%u000alast'),
  'between quotes of JavaScript': around('%u0022', '%u0022'),
  'after a zero-width space': around('key\u200b', '\u200bz'),
  'with a zero-width space in it': spelling((secret) => `${secret.slice(0, 5)}\u200b${secret.slice(5)}`),
  'with a direction mark in it': spelling((secret) => `${secret.slice(0, 9)}\u2066${secret.slice(9)}`),
  'with a variation selector in it': spelling((secret) => `${secret.slice(0, 9)}\ufe0f${secret.slice(9)}`),
  'with a tag character in it': spelling((secret) => `${secret.slice(0, 9)}\u{e0001}${secret.slice(9)}`),
  'coloured by one control character': around('key\u009b31m', '\u009b0m'),
  'coloured in JSON within JSON, after a word': around('key\\\\u001b[31m', '\\\\u001b[0m'),
  'in base64 of base64': (secret) => ({
    text: `a ${base64(base64(secret))} z`,
    spelled: base64(base64(secret)).slice(0, -4),
  }),
  'with a colour in it': spelling((secret) => `${secret.slice(0, 5)}\u001b[0m${secret.slice(5)}`),
  'as code points': spelling(unicodeEscapes),
  'as long code points': spelling((secret) => unicodeEscapes(secret).replaceAll('\\u', '\\U0000')),
  'as code points of CSS': spelling((secret) => unicodeEscapes(secret).replaceAll('\\u', '\\00')),
  'as code points in JSON within JSON': spelling((secret) =>
    JSON.stringify(unicodeEscapes(secret)).slice(1, -1),
  ),
  'percent-encoded': spelling(percent),
  'percent-encoded twice': around('%2522', '%2522'),
  'percent-encoded twice, the key too': (secret) => {
    const spelled = percent(secret).replaceAll('%', '%25')
    return { text: `a%2520${spelled}%2520z`, spelled }
  },
  'between entities': around('&quot;', '&quot;'),
  'on a line that goes on': spelling((secret) => `${secret.slice(0, 9)}\\\n${secret.slice(9)}`),
  'in base64': (secret) => ({ text: `a ${base64(secret)} z`, spelled: base64(secret).slice(0, -4) }),
  'in base64 after one byte': (secret) => ({
    text: `a ${base64(`:${secret}`)} z`,
    spelled: base64(`:${secret}`).slice(4, -4),
  }),
  'in base64 after two bytes': (secret) => ({
    text: `a ${base64(`x:${secret}`)} z`,
    spelled: base64(`x:${secret}`).slice(4, -4),
  }),
}
