import * as f from '../format.ts'
import { plural } from '../format.ts'

const sessions = (n: number): string => plural(n, 'session', 'sessions')

export const achievementsWords = {
  title: 'Achievements',
  sub: (read: number, age: string | null) =>
    age === null ? `${sessions(read)} read` : `${sessions(read)} read · ${age}`,
  counted: (ago: string) => (ago === 'now' ? 'counted just now' : `counted ${ago}`),

  hero: {
    label: 'Progress',
    of: (total: number) => `of ${f.count(total)}`,
    ring: (unlocked: number, total: number) => `${f.count(unlocked)} of ${f.count(total)} unlocked`,
    headline: (unlocked: number, discovered: number, secret: number) =>
      `${f.count(unlocked)} unlocked, ${f.count(discovered)} discovered, ${f.count(secret)} secret`,
    closest: 'Closest:',
    toGo: (left: number, tier: string) => `to ${tier}, ${f.count(left)} to go.`,
    percentToGo: (left: number) => `${f.count(left)} % to go.`,
    allDone: 'You reached every tier of every achievement.',
    tiers: 'Unlocked by tier',
    noTier: 'No tier',
  },
  stats: {
    highest: 'Highest tier',
    latest: 'Latest',
    discovered: 'Discovered',
    secret: 'Secret',
    none: 'None yet',
  },
  recent: { title: 'Recent unlocks', none: 'Achievements you unlock appear here.' },

  categories: 'Category',
  all: 'All',
  states: {
    label: 'State',
    all: 'All',
    unlocked: 'Unlocked',
    discovered: 'Discovered',
    secret: 'Secret',
  },
  sources: { label: 'Sessions counted', all: 'All sources', hermes: 'Hermes only' },
  sort: {
    shown: (name: string) => `Sort: ${name.toLowerCase()}`,
    closest: 'Closest first',
    newest: 'Newest first',
    name: 'Name',
    catalogue: 'Catalog order',
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
  fulfilled: 'Met:',
  unfulfilled: 'Not yet:',
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
    most: (value: string) => `Most, ${value}, in`,
    best: (value: string) => `Best so far: ${value} in`,
  },
  percent: (value: number) => `${f.count(value)} %`,
  evidenceNone: 'This achievement counts all sessions together, so there is no single session to show.',
  zone: (zone: string) => `Days and nights follow the time zone ${zone}`,
  noMatch: { title: 'No matching achievements', body: 'Choose another category or state.' },
  clear: 'Show all',

  reading: (done: number, total: number) => `Read ${f.count(done)} of ${sessions(total)}`,
  looking: 'Looking for sessions',
  partial: 'These numbers cover the sessions read so far.',
  refreshing: 'Counting new sessions',
  again: 'Recounting',
  refreshed: (done: number, total: number) => `${f.count(done)} / ${f.count(total)}`,
  failed: (reason: string) => `Couldn’t count your sessions. ${reason}`,
  failedPartly: (reason: string) => `Couldn’t count some sessions. ${reason}`,
  failedOld: (age: string) => `These numbers are from ${age}.`,
  loadFailed: 'Couldn’t load achievements.',
  skipped: (n: number) =>
    n === 1
      ? 'Panoptes could not read 1 item, so it is not counted.'
      : `Panoptes could not read ${f.count(n)} items, so they are not counted.`,
  skippedShow: 'Show details',
  skippedHide: 'Hide',

  actions: {
    rescan: 'Rescan',
    more: 'More',
    full: 'Rescan everything',
    share: 'Share card',
    reset: 'Reset achievements',
  },
  reset: {
    title: 'Reset achievements',
    body: 'This removes every unlock and its date, then recounts your sessions. Sessions that no longer exist are not counted. You can’t undo this.',
    bodyHermes:
      'This removes every “Hermes only” unlock and its date, then recounts the Hermes sessions. Sessions that no longer exist are not counted. You can’t undo this.',
    action: 'Reset',
    done: (n: number) => `Removed ${plural(n, 'unlock', 'unlocks')}. Recounting`,
  },

  empty: {
    title: 'No achievements yet',
    body: 'Panoptes counts achievements from the sessions that agents store on this computer. It opens their files read-only, and no data leaves the computer.',
    action: 'Scan your sessions',
    none: 'No sessions found yet. New sessions are counted automatically.',
    noneHermes: 'No Hermes sessions found yet. Choose “All sources” to count other agents.',
    sources: 'See what Panoptes found on this computer',
  },

  share: {
    title: 'Share card',
    preview: (name: string) => `Image of ${name}, 1200 × 630`,
    which: 'Achievement',
    download: 'Download PNG',
    copy: 'Copy image',
    copied: 'Copied the image',
    copyFailed: 'Your browser blocked copying. Download the image instead.',
    failed: 'Couldn’t create the image.',
    of: (n: number, total: number) => `${f.count(n)} of ${f.count(total)} unlocked`,
    since: (day: string) => `Since ${day}`,
  },

  news: {
    one: (name: string, tier: string | null) =>
      tier === null ? `Unlocked ${name}` : `Unlocked ${name}, ${tier}`,
    many: (n: number) => `Unlocked ${plural(n, 'achievement', 'achievements')}`,
    /** Names the source when the page counts other sessions than those that unlocked it. */
    elsewhere: (text: string, whose: string) => `${text} (${whose})`,
    show: 'Show',
  },

  keys: { next: 'next, previous card', fold: 'show what counts', rescan: 'rescan', share: 'share card' },
  palette: { rescan: 'Rescan achievements', rescanHint: 'count new sessions' },
}
