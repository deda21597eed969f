import * as f from '../format.ts'
import { plural } from './plural.ts'

const sessions = (n: number): string => plural(n, 'session', 'sessions')

export const achievementsWords = {
  title: 'Achievements',
  sub: (read: number, age: string | null) =>
    age === null ? `${sessions(read)} read` : `${sessions(read)} read · ${age}`,
  counted: (ago: string) => (ago === 'now' ? 'counted now' : `counted ${ago}`),

  hero: {
    label: 'How far you are',
    of: (total: number) => `of ${f.count(total)}`,
    ring: (unlocked: number, total: number) => `${f.count(unlocked)} of ${f.count(total)} unlocked`,
    headline: (unlocked: number, inSight: number, secret: number) =>
      `${f.count(unlocked)} unlocked, ${f.count(inSight)} in sight, ${f.count(secret)} secret`,
    closest: 'Closest:',
    toGo: (left: number, tier: string) => `to ${tier}, ${f.count(left)} to go.`,
    percentToGo: (left: number) => `${f.count(left)} % to go.`,
    allDone: 'Every tier of every achievement is reached.',
    tiers: 'Unlocked by tier',
    noTier: 'No tier',
  },
  stats: {
    highest: 'Highest tier',
    latest: 'Latest',
    inSight: 'In sight',
    secret: 'Secret',
    none: 'None yet',
  },
  recent: { title: 'Recent unlocks', none: 'What you unlock shows here.' },

  categories: 'Category',
  all: 'All',
  states: {
    label: 'State',
    all: 'All',
    unlocked: 'Unlocked',
    discovered: 'In sight',
    secret: 'Secret',
  },
  sources: { label: 'Whose sessions count', all: 'All sources', hermes: 'Hermes only' },
  sort: {
    shown: (name: string) => `Sort: ${name.toLowerCase()}`,
    closest: 'Closest first',
    newest: 'Newest first',
    name: 'Name',
    catalogue: 'Catalogue order',
  },

  list: (n: number) => plural(n, 'achievement', 'achievements'),
  cards: 'Achievements',
  listWord: 'list',
  notYet: 'Not yet',
  secret: 'Secret',
  of: (next: number) => `/ ${f.count(next)}`,
  progress: (part: number, next: number, tier: string | null) =>
    tier === null
      ? `${f.count(part)} of ${f.count(next)}`
      : `${f.count(part)} of ${f.count(next)} for ${tier}`,
  met: 'Met:',
  notMet: 'Not yet:',
  next: (tier: string) => `next: ${tier}`,
  highestReached: 'highest tier',
  whatCounts: 'What counts',
  ofAchievement: (what: string, name: string) => `${what}: ${name}`,
  reached: 'When each tier was reached',
  dateUnknown: 'date unknown',
  unlockedOn: (day: string) => `Unlocked ${day}`,
  bestSoFar: 'best so far:',
  evidence: {
    made: (value: string) => `${value} in`,
    most: (value: string) => `Most of it, ${value}, in`,
    best: (value: string) => `Best so far: ${value} in`,
  },
  percent: (value: number) => `${f.count(value)} %`,
  evidenceNone: 'Counted over all sessions, so no single one shows it.',
  zone: (zone: string) => `Days and nights as in ${zone}`,
  noMatch: { title: 'No achievement matches', body: 'No achievement matches this category and state.' },
  clear: 'Show all',

  reading: (done: number, total: number) => `Read ${f.count(done)} of ${sessions(total)}`,
  looking: 'Looking for sessions',
  partial: 'What is shown counts what was read so far.',
  refreshing: 'Counting what is new',
  again: 'Counting again',
  refreshed: (done: number, total: number) => `${f.count(done)} / ${f.count(total)}`,
  failed: (reason: string) => `The sessions could not be counted. ${reason}`,
  failedPartly: (reason: string) => `Some sessions could not be counted. ${reason}`,
  failedOld: (age: string) => `What is shown is from ${age}.`,
  loadFailed: 'The achievements could not be read.',
  skipped: (n: number) =>
    n === 1
      ? '1 thing could not be read and does not count.'
      : `${f.count(n)} things could not be read and do not count.`,
  skippedShow: 'Show which',
  skippedHide: 'Hide',

  actions: {
    rescan: 'Rescan',
    more: 'More',
    full: 'Read everything again',
    share: 'Share card',
    reset: 'Reset achievements',
    failed: (reason: string) => `That did not work: ${reason}`,
  },
  reset: {
    title: 'Reset achievements',
    body: 'Every unlock and its date is removed, and the sessions are counted anew. Sessions that are no longer there do not count any more. This cannot be undone.',
    bodyHermes:
      'Every unlock of “Hermes only” and its date is removed, and the sessions of Hermes are counted anew. Sessions that are no longer there do not count any more. This cannot be undone.',
    action: 'Reset',
    done: (n: number) => `Removed ${plural(n, 'unlock', 'unlocks')}. Counting anew`,
  },

  empty: {
    title: 'Read your sessions',
    body: 'Achievements are counted from the sessions that agents keep on this computer. Panoptes only reads them, and nothing leaves it.',
    action: 'Read your sessions',
    none: 'No session was found yet. What agents leave behind counts here by itself.',
    noneHermes: 'No session of Hermes was found yet. “All sources” counts those of other agents.',
    sources: 'See what was found on this computer',
  },

  share: {
    title: 'Share card',
    preview: (name: string) => `Picture of ${name}, 1200 × 630`,
    which: 'Achievement',
    download: 'Download PNG',
    copy: 'Copy picture',
    copied: 'Copied the picture',
    copyFailed: 'The browser did not allow copying. Download the picture instead.',
    failed: 'The picture could not be made.',
    of: (n: number, total: number) => `${f.count(n)} of ${f.count(total)} unlocked`,
    since: (day: string) => `Since ${day}`,
  },

  news: {
    one: (name: string, tier: string | null) =>
      tier === null ? `Unlocked ${name}` : `Unlocked ${name}, ${tier}`,
    many: (n: number) => `Unlocked ${plural(n, 'achievement', 'achievements')}`,
    /** Where the page counts other sessions than those that unlocked it. */
    elsewhere: (said: string, whose: string) => `${said} (${whose})`,
    show: 'Show',
  },

  keys: { next: 'next, previous card', fold: 'what counts', rescan: 'rescan', share: 'share card' },
  palette: { rescan: 'Count achievements again', rescanHint: 'reads what is new in your sessions' },
}
