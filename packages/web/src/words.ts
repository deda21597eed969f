import * as f from './format.ts'
import { achievementsWords } from './words/achievements.ts'
import { budgetsWords } from './words/budgets.ts'
import { chatWords } from './words/chat.ts'
import { eventsWords } from './words/events.ts'
import { ledgerWords } from './words/ledger.ts'
import { liveWords } from './words/live.ts'
import { moaWords } from './words/moa.ts'
import { plural } from './words/plural.ts'
import { sessionsWords } from './words/sessions.ts'
import { settingsWords } from './words/settings.ts'
import { teamWords } from './words/team.ts'
import { templatesWords } from './words/templates.ts'
import { transcriptWords } from './words/transcript.ts'

/** Everything the page says. A translation is another object of this type. */
export const words = {
  product: 'Panoptes',
  unknown: '–',
  tabTitle: (page: string) => `${page} · Panoptes`,
  /** How many agents need someone, in front of the tab's title. */
  tabNeeds: (needs: number, title: string) => (needs === 0 ? title : `(${f.count(needs)}) ${title}`),

  toasts: 'Notices',

  nav: {
    label: 'Pages',
    live: 'Live',
    liveHint: 'who works, waits or is stuck, now and before',
    sessions: 'Sessions',
    sessionsHint: 'read and search what agents left behind',
    achievements: 'Achievements',
    achievementsHint: 'what your sessions amount to',
    templates: 'Templates',
    templatesHint: 'good sessions as a start for the next, and whether that helps',
    ledger: 'Ledger',
    ledgerHint: 'what agents, skills and claims amounted to, and what they cost',
    moa: 'MoA',
    moaHint: 'several models advise, one acts: every turn end to end',
    chat: 'Chat',
    chatHint: 'one conversation with any runtime',
    events: 'Events',
    settings: 'Settings',
    eventsHint: 'every event as it is stored',
    settingsHint: 'sources, storage, tokens, health',
    skip: 'Skip to the page',
    more: 'More',
    morePages: 'More pages',
  },

  topBar: {
    find: 'Go to, find, do',
    connected: 'Connected',
    connecting: 'Connecting',
    reconnecting: 'Reconnecting',
    disconnected: 'Disconnected',
    databaseAway: 'Database away',
    retryIn: (ms: number) => `next try in ${f.duration(Math.max(1_000, Math.ceil(ms / 1_000) * 1_000))}`,
  },

  actions: {
    close: 'Close',
    cancel: 'Cancel',
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'The browser did not allow copying. Select the text and copy it.',
    tryAgain: 'Try again',
    checkAgain: 'Check again',
    undo: 'Undo',
    stop: 'Stop',
    reload: 'Reload',
    clear: 'Clear',
    any: 'Any',
    dismiss: 'Dismiss',
  },

  ago: (ts: number, now: number): string => {
    const short = f.age(now - ts)
    if (short !== null) return now - ts < 1_500 ? 'now' : `${short} ago`
    const days = f.daysBetween(ts, now)
    if (days === 0) return f.clock(ts).slice(0, 5)
    if (days === 1) return 'yesterday'
    return days < 7 ? f.weekday(ts) : f.day(ts, now)
  },

  strips: {
    databaseAway: (age: string) =>
      `The database of this hub has not answered for ${age}: what is shown is as old as that, and nothing can be changed. Computers that send events keep them. This page goes on by itself.`,
    busAway: (age: string) =>
      `The bus of this hub has not answered for ${age}: no events are taken until it does. Computers that send them keep them, and everything else goes on.`,
    missed: (n: number) => `Missed ${plural(n, 'event', 'events')}, catching up`,
    stale: (age: string, what: string) =>
      `Not connected for ${age}: the ${what} is as old as that. If Panoptes has stopped, hooks keep their events until it runs again; those installed with --http lose them.`,
  },

  errors: {
    unreachable: 'Panoptes does not answer.',
    unreachableNext: 'See that it runs: panoptes status. This page goes on by itself.',
    unexpected: (status: number) => `The server answered ${status}.`,
    brokeOff: 'The answer broke off.',
    crashTitle: 'This page stopped',
    crashNext:
      'Reload it. Nothing in the ledger is touched by this. If it happens again, copy the details into a bug report.',
    copyDetails: 'Copy details',
    notFoundTitle: 'Nothing is here',
    notFoundNext: 'The address names no page. Go to Live, or look for it in the field at the top.',
    goLive: 'Go to Live',
  },

  signedOut: {
    tab: 'Signed out',
    title: 'This browser is not signed in',
    body: 'Panoptes shows your sessions only to you. Run this where Panoptes runs, then open the link it prints:',
    again: 'It finds the Panoptes that already runs and prints a fresh link. The link works once.',
    command: 'npx panoptes up',
    installed: 'panoptes up',
    orInstalled: 'or, where it is installed',
    tryAgain: 'I opened the link',
  },

  keys: {
    title: 'Keys',
    everywhere: 'Everywhere',
    inLive: 'Live',
    inSessions: 'Sessions',
    inAchievements: 'Achievements',
    inTemplates: 'Templates',
    inLedger: 'Ledger',
    inMoa: 'MoA',
    inChat: 'Chat',
    inEvents: 'Events',
    search: 'search',
    choose: 'choose a session',
    read: 'read it',
    messages: 'next, previous message',
    needs: 'next that needs you',
    palette: 'go to, find, do',
    page: (name: string) => `go to ${name}`,
    help: 'all keys',
    close: 'close',
    theme: 'dark or light',
    filter: 'filter',
    next: 'next event',
    previous: 'previous event',
    copy: 'copy the event as JSON',
    live: 'back to live',
    pause: 'pause or go on',
    failed: 'only failed',
    show: 'Keys',
  },

  theme: {
    title: 'Theme',
    detail: 'Kept in this browser',
    dark: 'Dark',
    light: 'Light',
    system: 'System',
    switchTo: (name: 'dark' | 'light') => `Switch to ${name}`,
  },

  palette: {
    title: 'Go to, find, do',
    goTo: 'Go to',
    agents: 'Agents',
    sessions: 'Sessions',
    do: 'Do',
    find: 'Find',
    found: (n: number) => `${f.count(n)} found`,
    ofGroup: (shown: number, all: number) =>
      shown === all ? f.count(all) : `${f.count(shown)} of ${f.count(all)}`,
    empty: (text: string) => `Nothing matches “${text}”.`,
    emptyNext: 'Type @ for agents, # for sessions, # and a number to open an event, > for what can be done.',
    escape: 'Esc, close',
    move: 'move',
    open: 'open',
    narrowDo: 'do',
    narrowAgents: 'agents',
    narrowSessions: 'sessions',
    sessionRuns: 'now',
    section: (name: string) => `Settings › ${name}`,
    ledgerTab: (name: string) => `Ledger › ${name}`,
    event: (seq: number) => `Event #${f.count(seq)}`,
    eventHint: 'open it in Events',
    search: (text: string) => `Events with “${text}”`,
    searchHint: 'filter the list',
    searchSessions: (text: string) => `Sessions with “${text}”`,
    searchSessionsHint: 'search all that was said and done',
    backup: 'Back up the ledger',
    backupHint: 'a copy while it runs',
    check: 'Check projections',
    checkHint: 'compares them with the log, changes nothing',
    health: 'Check health again',
    healthHint: 'runs every check',
    address: 'Copy the address',
    themeTo: (name: 'dark' | 'light') => `Switch to ${name}`,
    themeHint: 'theme',
    keys: 'Show all keys',
    onlyFailed: 'Show only failed events',
    onlyFailedHint: 'in Events',
  },

  settings: settingsWords,
  team: teamWords,

  events: eventsWords,

  live: liveWords,

  sessions: sessionsWords,

  transcript: transcriptWords,

  achievements: achievementsWords,

  templates: templatesWords,

  ledger: ledgerWords,

  budgets: budgetsWords,
  moa: moaWords,

  chat: chatWords,
}
