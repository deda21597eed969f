import { alnum, base64, digit, has, hex, runEnd, runStart, setOf, slug, upperAlnum } from './characters.ts'
import type { Found, Secret, Shape } from './shape.ts'

const tilde = setOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~')

/** A shape that a sticky expression of bounded length tells. */
const bounded = (label: string, literal: string, expression: RegExp): Shape => ({
  literal,
  look: (text, start, end) => {
    if (has(alnum, text, start - 1)) return end
    expression.lastIndex = start
    return expression.test(text) ? { label, start, end: expression.lastIndex } : end
  },
})

/** The number of a bot, a colon, and 35 characters or more: `123456789:AA…`. */
const telegram: Shape = {
  literal: ':AA',
  look: (text, start, end) => {
    const from = runStart(digit, text, start, 12)
    if (start - from < 6 || !text.startsWith(':AA', start)) return end
    const stop = runEnd(slug, text, end)
    return stop - end >= 33 ? { label: 'telegram-token', start: from, end: stop } : stop
  },
}

/** 32 hexadecimal digits and the name of a data centre: `…-us12`. */
const mailchimp: Shape = {
  literal: '-us',
  look: (text, start, end) => {
    const stop = runEnd(digit, text, end, end + 3)
    const from = runStart(hex, text, start, 33)
    if (stop === end || start - from !== 32 || has(slug, text, stop) || has(alnum, text, from - 1)) return end
    return { label: 'mailchimp-key', start: from, end: stop }
  },
}

const azureSecret: Shape = {
  literal: 'Q~',
  look: (text, start, end) => {
    const from = start - 4
    const stop = runEnd(tilde, text, end, end + 40)
    if (from < 0 || runStart(tilde, text, start, 5) !== from || !has(digit, text, start - 1)) return end
    return stop - end >= 31 && stop - end <= 34 ? { label: 'azure-secret', start: from, end: stop } : end
  },
}

const terraform: Shape = {
  literal: '.atlasv1.',
  look: (text, start, end) => {
    const from = runStart(alnum, text, start, 15)
    const stop = runEnd(slug, text, end)
    return start - from === 14 && stop - end >= 40
      ? { label: 'terraform-token', start: from, end: stop }
      : stop
  },
}

const discord: readonly Shape[] = ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'].map(
  (literal) => ({
    literal,
    look: (text, _start, end) => {
      const stop = runEnd(digit, text, end)
      const last = runEnd(slug, text, stop + 1)
      if (stop === end || text[stop] !== '/' || last - stop < 20) return stop
      return { label: 'webhook', start: end, end: last }
    },
  }),
)

const SECRET_LENGTH = 40
const MOST_BETWEEN = 24

/** The id of a key, and with it the key that stands beside it. */
const aws: Shape = {
  literal: 'AKIA',
  look: (text, start, end): Found => {
    if (has(alnum, text, start - 1) || !text.startsWith('AKIA', start)) return end
    const stop = end + 16
    if (runEnd(upperAlnum, text, end) !== stop || has(alnum, text, stop)) return end
    const id: Secret = { label: 'aws-key', start, end: stop }
    const beside = secretBeside(text, stop)
    return beside === undefined
      ? id
      : { secrets: [id, { label: 'aws-secret', ...beside }], until: beside.end }
  },
}

function secretBeside(text: string, from: number): { start: number; end: number } | undefined {
  let start = from
  while (start < from + MOST_BETWEEN && start < text.length && !has(base64, text, start)) start += 1
  // A newline that is told by its escape.
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start += 1
  const end = start + SECRET_LENGTH
  if (runEnd(base64, text, start, end + 1) !== end || text[end] === '=') return undefined
  const key = text.slice(start, end)
  return /[a-z]/.test(key) && /[A-Z]/.test(key) && /[0-9]/.test(key) ? { start, end } : undefined
}

export const partShapes: readonly Shape[] = [
  bounded('sendgrid-key', 'SG.', /SG\.[\w-]{16,32}\.[\w-]{16,64}(?![\w-])/y),
  bounded('resend-key', 're_', /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}(?![A-Za-z0-9_])/y),
  bounded(
    'onepassword-key',
    'A3-',
    /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![A-Za-z0-9])/y,
  ),
  bounded('cloudflare-key', 'v1.0-', /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}(?![A-Za-z0-9])/y),
  telegram,
  mailchimp,
  azureSecret,
  terraform,
  ...discord,
  aws,
]
