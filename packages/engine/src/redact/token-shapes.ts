import { skipEscape, startsWord } from './boundary.ts'
import {
  alnum,
  base64,
  characterSet,
  digit,
  has,
  hex,
  runEnd,
  runStart,
  slug,
  upperAlnum,
} from './characters.ts'
import { wrappedEnd } from './keys.ts'
import type { Found, Secret, Shape } from './shape.ts'
import { wrappable } from './wrapped.ts'

const tilde = characterSet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~')

/** Builds a shape from a sticky expression of bounded length. */
const createShape = (label: string, literal: string, expression: RegExp): Shape => ({
  literal,
  look: (text, start, end) => {
    if (!startsWord(text, start, alnum)) return end
    expression.lastIndex = start
    return expression.test(text) ? { label, start, end: expression.lastIndex } : end
  },
})

/** A bot's number, a colon, and at least 35 characters: `123456789:AA…`. */
const telegram: Shape = {
  literal: ':AA',
  look: (text, start, end) => {
    const from = skipEscape(text, runStart(digit, text, start, 16), start)
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
    const from = start - 32
    if (stop === end || runStart(hex, text, start, 32) !== from || has(slug, text, stop)) return end
    if (!startsWord(text, from, alnum)) return end
    return { label: 'mailchimp-key', start: from, end: stop }
  },
}

const azureSecret: Shape = {
  literal: 'Q~',
  look: (text, start, end) => {
    const from = start - 4
    const stop = runEnd(tilde, text, end, end + 40)
    if (from < 0 || runStart(tilde, text, start, 4) !== from || !has(digit, text, start - 1)) return end
    if (!startsWord(text, from, tilde)) return end
    return stop - end >= 31 && stop - end <= 34 ? { label: 'azure-secret', start: from, end: stop } : end
  },
}

const terraform: Shape = {
  literal: '.atlasv1.',
  look: (text, start, end) => {
    const from = start - 14
    const stop = runEnd(slug, text, end)
    return runStart(alnum, text, start, 14) === from && startsWord(text, from, alnum) && stop - end >= 40
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

const DISCORD_TIME = 6
const DISCORD_LEAST = 27

/**
 * A bot's id in base64, the time, and a hash: `MTA….Gxxxxx.…`. Ids in base64 begin with one of three letters.
 */
const discordBot: Shape = {
  literal: '.G',
  look: (text, start, end) => {
    const time = start + 1 + DISCORD_TIME
    if (text[time] !== '.' || runEnd(slug, text, start + 1, time) !== time) return end
    const from = skipEscape(text, runStart(slug, text, start, 32), start)
    const id = /[MNO][A-Za-z\d]{23,25}$/.exec(text.slice(from, start))?.[0]
    const stop = runEnd(slug, text, time + 1)
    return id !== undefined && stop - time > DISCORD_LEAST
      ? { label: 'discord-token', start: start - id.length, end: stop }
      : end
  },
}

/** 52 characters in base 32, or 84 with a mark near their end. */
const azureDevops: Shape = {
  literal: 'AZDO',
  look: (text, start, end) => {
    const from = start - 76
    const stop = runEnd(alnum, text, end)
    const fits = stop - end === 4 && runStart(alnum, text, start, 76) === from
    return fits && startsWord(text, from, alnum) ? { label: 'azure-token', start: from, end: stop } : end
  },
}

const SECRET_LENGTH = 40
const MOST_BETWEEN = 24

const AWS_ID = { body: upperAlnum, least: 16, exact: true }

/** A key id together with the secret key next to it. */
const aws: Shape = {
  literal: 'AKIA',
  look: (text, start, end): Found => {
    if (!startsWord(text, start, alnum) || !text.startsWith('AKIA', start)) return end
    const stop = end + 16
    if (runEnd(upperAlnum, text, end) !== stop || has(alnum, text, stop)) {
      const wrapped = wrappedEnd(text, end, runEnd(upperAlnum, text, end), AWS_ID)
      return wrapped === undefined ? end : { label: 'aws-key', start, end: wrapped }
    }
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
  // The token may follow an escaped newline, whose letter is not part of it.
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start += 1
  const end = start + SECRET_LENGTH
  if (runEnd(base64, text, start, end + 1) !== end || text[end] === '=') return undefined
  const key = text.slice(start, end)
  return /[a-z]/.test(key) && /[A-Z]/.test(key) && /[0-9]/.test(key) ? { start, end } : undefined
}

export const partShapes: readonly Shape[] = [
  wrappable(createShape('sendgrid-key', 'SG.', /SG\.[\w-]{16,32}\.[\w-]{16,64}(?![\w-])/y), 69),
  createShape('resend-key', 're_', /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}(?![A-Za-z0-9_])/y),
  createShape(
    'onepassword-key',
    'A3-',
    /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![A-Za-z0-9])/y,
  ),
  createShape('cloudflare-key', 'v1.0-', /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}(?![A-Za-z0-9])/y),
  createShape('airtable-key', 'pat', /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}(?![A-Za-z0-9])/y),
  createShape(
    'bedrock-key',
    'bedrock-api-key-',
    /bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[\w+/=-]{0,2048}/y,
  ),
  wrappable(telegram),
  wrappable(discordBot, 72),
  wrappable(azureDevops),
  wrappable(mailchimp),
  wrappable(azureSecret, 40),
  wrappable(terraform),
  ...discord,
  aws,
]
