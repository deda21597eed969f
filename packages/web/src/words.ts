import * as f from './format.ts'
import { plural } from './format.ts'
import { achievementsWords } from './words/achievements.ts'
import { budgetsWords } from './words/budgets.ts'
import { chatWords } from './words/chat.ts'
import { eventsWords } from './words/events.ts'
import { ledgerWords } from './words/ledger.ts'
import { liveWords } from './words/live.ts'
import { moaWords } from './words/moa.ts'
import { sessionsWords } from './words/sessions.ts'
import { settingsWords } from './words/settings.ts'
import { teamWords } from './words/team.ts'
import { templatesWords } from './words/templates.ts'
import { transcriptWords } from './words/transcript.ts'

/** All text of the page. A translation is another object of this type. */
export const words = {
  product: 'Panoptes',
  unknown: '–',
  tabTitle: (page: string) => `${page} · Panoptes`,
  /** Puts the number of agents that need someone in front of the tab's title. */
  tabNeeds: (needs: number, title: string) => (needs === 0 ? title : `(${f.count(needs)}) ${title}`),

  toasts: 'Notices',

  nav: {
    label: 'Pages',
    live: 'Live',
    liveHint: 'agents that are working, waiting or stuck, live or in a replay',
    sessions: 'Sessions',
    sessionsHint: 'read and search past sessions',
    achievements: 'Achievements',
    achievementsHint: 'milestones in your sessions',
    templates: 'Templates',
    templatesHint: 'reuse good sessions and measure whether they help',
    ledger: 'Ledger',
    ledgerHint: 'outcomes, skills, claims and costs of agents',
    moa: 'MoA',
    moaHint: 'turns where several models advise and one acts',
    chat: 'Chat',
    chatHint: 'talk to any runtime',
    events: 'Events',
    settings: 'Settings',
    eventsHint: 'every event, as it arrives',
    settingsHint: 'sources, storage, tokens, health',
    skip: 'Skip to content',
    more: 'More',
    morePages: 'More pages',
  },

  topBar: {
    find: 'Search or jump to',
    connected: 'Connected',
    connecting: 'Connecting',
    reconnecting: 'Reconnecting',
    disconnected: 'Disconnected',
    databaseAway: 'Database down',
    retryIn: (ms: number) => `retrying in ${f.duration(Math.max(1_000, Math.ceil(ms / 1_000) * 1_000))}`,
  },

  actions: {
    close: 'Close',
    cancel: 'Cancel',
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'Your browser blocked copying. Select the text and copy it.',
    tryAgain: 'Try again',
    checkAgain: 'Check again',
    undo: 'Undo',
    stop: 'Stop',
    reload: 'Reload',
    clear: 'Clear',
    any: 'Any',
    dismiss: 'Dismiss',
    failed: (reason: string) => `That didn’t work: ${reason}`,
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
      `This hub’s database has not responded for ${age}. The page shows older data, and you can’t make changes. Forwarders keep their events and send them later. The page recovers on its own.`,
    busAway: (age: string) =>
      `This hub’s message bus has not responded for ${age}, so the hub accepts no events. Forwarders keep their events and send them later. Everything else works.`,
    missed: (n: number) => `Missed ${plural(n, 'event', 'events')}, catching up`,
    stale: (age: string, what: string) =>
      `Disconnected for ${age}, so the ${what} may be out of date. If Panoptes has stopped, hooks save their events until Panoptes restarts. Hooks installed with --http lose theirs.`,
  },

  errors: {
    unreachable: 'Panoptes is not responding.',
    unreachableNext:
      'To check whether Panoptes is running, run: panoptes status. This page reconnects on its own.',
    unexpected: (status: number) => `The server returned ${status}.`,
    brokeOff: 'The response was cut off.',
    crashTitle: 'This page crashed',
    crashNext:
      'Reload the page. Your stored data is safe. If the page crashes again, copy the details into a bug report.',
    copyDetails: 'Copy details',
    notFoundTitle: 'Page not found',
    notFoundNext: 'There is no page at this address. Go to Live or use the search at the top.',
    goLive: 'Go to Live',
  },

  signedOut: {
    tab: 'Signed out',
    title: 'This browser is not signed in',
    body: 'Panoptes shows your sessions only to you. Run this command on the computer that runs Panoptes, then open the link it prints:',
    again: 'If Panoptes is already running, the command prints a new link. Each link works once.',
    command: 'npx panoptes up',
    installed: 'panoptes up',
    orInstalled: 'or, if Panoptes is installed',
    tryAgain: 'I opened the link',
  },

  keys: {
    title: 'Keyboard shortcuts',
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
    read: 'open the session',
    messages: 'next, previous message',
    needs: 'next agent that needs you',
    palette: 'search or jump to',
    page: (name: string) => `go to ${name}`,
    help: 'all shortcuts',
    close: 'close',
    theme: 'dark or light',
    filter: 'filter',
    next: 'next event',
    previous: 'previous event',
    copy: 'copy the event as JSON',
    live: 'back to live',
    pause: 'pause or resume',
    failed: 'only failed',
    show: 'Shortcuts',
  },

  theme: {
    title: 'Theme',
    detail: 'Saved in this browser',
    dark: 'Dark',
    light: 'Light',
    system: 'System',
    switchTo: (name: 'dark' | 'light') => `Switch to ${name}`,
  },

  palette: {
    title: 'Search or jump to',
    goTo: 'Go to',
    agents: 'Agents',
    sessions: 'Sessions',
    do: 'Actions',
    find: 'Search',
    found: (n: number) => `${f.count(n)} found`,
    ofGroup: (shown: number, all: number) =>
      shown === all ? f.count(all) : `${f.count(shown)} of ${f.count(all)}`,
    empty: (text: string) => `No results for “${text}”.`,
    emptyNext: 'Type @ for agents, # for sessions, > for actions, or # and a number for an event.',
    escape: 'Esc, close',
    move: 'move',
    open: 'open',
    narrowDo: 'actions',
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
    searchSessionsHint: 'search their full text',
    backup: 'Back up the store',
    backupHint: 'copy it while Panoptes runs',
    check: 'Check projections',
    checkHint: 'compare them with the log, read-only',
    health: 'Check health again',
    healthHint: 'run every check',
    address: 'Copy address',
    themeTo: (name: 'dark' | 'light') => `Switch to ${name}`,
    themeHint: 'theme',
    keys: 'Show all shortcuts',
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
