import type { ChatErrorCode, RuntimeHealth } from '@panoptes/schema'
import * as f from '../format.ts'
import { plural } from './plural.ts'

const messages = (n: number): string => plural(n, 'message', 'messages')
const characters = (n: number): string => plural(n, 'character', 'characters')

const states: Readonly<Record<RuntimeHealth['state'], string>> = {
  ready: 'ready',
  busy: 'busy',
  not_installed: 'not installed',
  not_configured: 'not set up',
  unreachable: 'not reached',
  unauthorized: 'key refused',
}

const errors: Readonly<Record<ChatErrorCode, string>> = {
  not_configured: 'Not set up',
  not_installed: 'Not installed',
  unreachable: 'Not reached',
  unauthorized: 'Key refused',
  rate_limited: 'Too many requests',
  too_long: 'Too long for it',
  provider_error: 'The provider failed',
  timed_out: 'No answer in time',
  malformed: 'Broken answer',
  died: 'It broke off',
  interrupted: 'Panoptes stopped meanwhile',
  refused: 'Refused',
  internal: 'Something went wrong',
}

/** What to do about it; where nothing stands, what the runtime said is all that is known. */
const errorsNext: Readonly<Partial<Record<ChatErrorCode, string>>> = {
  not_configured: 'Name it under runtimes in config.yaml, or let another runtime answer.',
  not_installed: 'Install it, or let another runtime answer.',
  unreachable: 'See whether it runs and the address in config.yaml is right, then retry.',
  unauthorized: 'Set its key in the environment that Panoptes starts in, or in config.yaml, then retry.',
  rate_limited: 'Wait a little, then retry, or let another runtime answer.',
  too_long: 'Fork from an earlier message, take files away, or choose a model that reads more.',
  provider_error: 'Retry, or choose another model.',
  timed_out: 'Retry, or choose another model.',
  malformed: 'Retry, or choose another model.',
  died: 'Retry. Where it happens again, see what it says in its own terminal.',
  interrupted: 'Nothing is lost but the rest of this answer. Retry.',
}

/** What is known of choices by their names; others are shown as they are given. */
const choices: Readonly<Record<string, string>> = {
  once: 'Allow once',
  session: 'Allow in this chat',
  always: 'Always allow',
  deny: 'Deny',
}

const sections: Readonly<Record<string, string>> = {
  ok: '',
  absent: 'none',
  unavailable: 'unavailable',
}

export const chatWords = {
  title: 'Chat',
  listWord: 'list',
  sub: (conversations: number, runtimes: number) =>
    `${plural(conversations, 'conversation', 'conversations')} · ${plural(runtimes, 'runtime', 'runtimes')}`,
  untitled: 'New conversation',
  open: 'Open the conversation',
  failed: 'The conversation could not be read.',
  reading: 'Reading the conversation',
  gone: 'There is no such conversation any more.',
  nothingYet: 'Nothing was said yet.',
  lost: 'The connection was lost. The answer goes on where Panoptes runs; this page is catching up.',
  actionFailed: (problem: string) => `That did not work: ${problem}`,
  runtimeName: (id: string) =>
    id === 'jarvis' ? 'Jarvis' : id === 'hermes' ? 'Hermes' : id.replace(/^acp:/, ''),

  keys: {
    send: 'send',
    line: 'new line',
    stop: 'stop the answer',
    allow: 'to the question; there: allow once',
    deny: 'to the question; there: deny',
    next: 'next, previous conversation',
    find: 'find a conversation',
    write: 'write a message',
    fresh: 'new conversation',
  },

  palette: { fresh: 'New conversation', freshHint: 'with any runtime' },

  list: {
    label: 'Conversations',
    find: 'Find',
    fresh: 'New conversation',
    answering: 'answering',
    more: 'Show more',
    none: 'No conversation yet.',
    noMatch: 'Nothing matches.',
    clear: 'Clear',
    failed: 'Conversations could not be read.',
    wait: 'Reading conversations',
    toList: 'All conversations',
    unanswered: 'not asked yet',
  },

  head: {
    rename: 'Rename',
    renameLabel: 'Title of the conversation',
    delete: 'Delete the conversation',
    deleted: (title: string) => `“${title}” deleted`,
    export: 'Export',
    exportAs: { markdown: 'Save as Markdown', json: 'Save as JSON' },
    copy: 'Copy as Markdown',
    copied: (n: number) => `${messages(n)} copied`,
    runtime: 'Runtime',
    model: 'Model',
    ownModel: 'its own model',
    usualModel: 'by itself',
    noRuntime: 'no runtime',
    goneAlready: 'It is gone already.',
    panel: 'Plan and what was sent',
    forked: 'Forked from another conversation',
  },

  thread: {
    forked: 'A new conversation from here on',
    label: 'Messages',
    you: 'You',
    answering: 'answering',
    thinking: 'Thinking',
    preparing: 'Gathers what it needs',
    copy: 'Copy',
    fork: 'Fork from here',
    edit: 'Edit',
    retry: 'Retry',
    otherRuntime: 'Other runtime',
    sources: (n: number) => `${plural(n, 'source', 'sources')} used`,
    sent: 'What was sent',
    steps: 'What it did',
    ownSession: 'Its own session',
    stopped: 'stopped',
    cut: 'cut at its longest',
    noAnswer: 'No answer',
    nothingSaid: 'It said nothing.',
    stoppedEarly: 'Stopped before it said anything.',
    given: (name: string, n: number) =>
      n === 0
        ? `${name} goes on from here. It knew all of it.`
        : `${name} goes on from here. It was given ${messages(n)}.`,
    moneyUnknown: 'What it cost is not known, or is counted in its own session.',
    toEnd: 'To the end',
    more: (n: number) => `${f.count(n)} more`,
    fewer: 'Show fewer',
    moreFailed: (n: number) => (n === 0 ? '' : ` · ${f.count(n)} failed`),
    callFailed: 'failed',
    skipped: 'skipped',
    running: 'runs',
    done: 'done',
    changed: (n: number) => `${plural(n, 'file', 'files')} changed`,
    attached: 'Attached by the runtime',
    calls: (n: number) => plural(n, 'tool call', 'tool calls'),
    subagent: 'agent',
    inside: (n: number) => plural(n, 'step', 'steps'),
    noDetail: 'Nothing more is known of it.',
    errors,
    errorsNext,
    filesAgain: 'The files of this message have to be attached again.',
  },

  announce: {
    answering: (name: string) => `${name} is answering.`,
    asks: (name: string, what: string) => `${name} asks: ${what}`,
    done: (name: string, text: string) => `${name}: ${text}`,
    stopped: (name: string) => `${name} was stopped.`,
    failed: (name: string, why: string) => `${name} failed: ${why}`,
  },

  asks: {
    title: (name: string) => `${name} asks`,
    until: (left: string) => `stops asking in ${left}`,
    choices,
    noChoice: 'It gave nothing to choose from.',
    answered: (choice: string) => `you chose: ${choice}`,
    unanswered: 'nobody answered, which counts as no',
  },

  composer: {
    label: 'Message',
    placeholder: (name: string) => `Message ${name}. Type / for templates and skills`,
    anyone: 'a runtime',
    notReady: (name: string, what: string) =>
      what === '' ? `${name} is not ready.` : `${name} is not ready. ${what}`,
    attach: 'Attach files',
    drop: 'Drop files to attach them',
    remove: (name: string) => `Take ${name} away`,
    template: (name: string | null) => `Template: ${name ?? 'none'}`,
    templateLabel: 'Template',
    noTemplate: 'No template',
    noTemplates: 'No template yet',
    skills: (n: number) => plural(n, 'skill', 'skills'),
    memory: (tokens: number) => `Memory ${f.count(tokens)}`,
    send: 'Send',
    stop: 'Stop',
    stopHint: 'stop',
    editing: 'Takes the place of your message and of what followed it.',
    cancelEdit: 'Cancel',
    tooLarge: (name: string, size: string, most: string) => `${name} is ${size}: ${most} is the most.`,
    tooMany: (most: number) => `${f.count(most)} files are the most.`,
    tooMuch: (most: string) => `Files of one message may have ${most} together.`,
    unreadable: (name: string) => `${name} could not be read.`,
    unnamed: 'pasted file',
    files: 'Files of this message',
    withSkill: (name: string) => `Use the skill ${name}: `,
    emptyFile: (name: string) => `${name} is empty.`,
    tooLong: (n: number) => `${characters(n)} too long`,
    menu: 'Templates and skills',
    menuTemplate: 'template',
    menuSkill: 'skill',
    menuNone: 'No template or skill of that name.',
  },

  side: {
    label: 'Plan and what was sent',
    plan: 'Plan',
    planOf: (done: number, all: number) => `${f.count(done)} of ${f.count(all)}`,
    planSteps: (n: number) => plural(n, 'step', 'steps'),
    planAdvice: 'Given as advice: it does not say how far it is.',
    planNone: 'Comes with the next message.',
    sequential: 'One after another.',
    parallel: 'Side by side.',
    planStates: {
      started: 'begun',
      running: 'runs',
      completed: 'done',
      skipped: 'left out',
      failed: 'failed',
      open: 'to come',
      waiting: 'waits for you',
    },
    sent: 'What was sent',
    sentOf: (tokens: number, budget: number | null) =>
      budget === null ? f.count(tokens) : `${f.count(tokens)} of ${f.count(budget)}`,
    sentUnit: 'tokens, estimated',
    sentNone: 'Nothing was sent yet.',
    sentGone: 'What was sent with this message is not known any more.',
    latest: 'Back to the newest',
    ofMessage: (clock: string) => `of the message at ${clock}`,
    openAsSent: 'Open as sent',
    leftOutMany: (n: number) => `${f.count(n)} left out`,
    items: (kept: number, leftOut: number) =>
      leftOut === 0 ? f.count(kept) : `${f.count(kept)} of ${f.count(kept + leftOut)}`,
    status: sections,
    cut: 'cut',
    skills: 'Skills',
    noSkills: 'none fits',
    template: 'Template',
    none: 'none',
    score: 'score',
    skillsTitle: (n: number) => `Why these ${plural(n, 'skill', 'skills')}`,
    runtimes: 'Runtimes',
    states,
    answering: 'answering',
    over: (state: string, transport: string | null) =>
      transport === null || transport.includes(' ') ? state : `${state}, ${transport.toUpperCase()}`,
    run: 'This run is in',
    and: 'and the',
    live: 'Live',
    ledger: 'Ledger',
    facts: 'Facts about you',
    runtimesFailed: 'Runtimes could not be asked.',
  },

  sentDialog: {
    title: 'As it was sent',
    note: 'Word for word what went with the message, section by section. Remembered text is data, not instructions.',
    empty: 'Nothing was sent beside the message itself.',
    wait: 'Reading what was sent',
    failed: 'What was sent could not be read.',
    tokens: (n: number) => `${f.count(n)} tokens`,
  },

  facts: {
    title: 'Facts about you',
    note: 'Kept in mind in every conversation, by every runtime. They stay on this computer.',
    add: 'Keep in mind',
    placeholder: 'I prefer short answers.',
    forget: (text: string) => `Forget “${text}”`,
    forgotten: 'Forgotten',
    none: 'Nothing is kept yet.',
    wait: 'Reading facts',
  },

  empty: {
    title: 'What is it about?',
    note: (name: string) =>
      `${name} answers, with your memory, skills and a plan. Another runtime can go on at any time.`,
    noRuntime: 'No runtime is ready',
    noRuntimeNote: 'One of these has to be set up before something can be asked:',
    noneFound: 'Nobody was found who could answer. Set up one of these:',
    health: 'For config.yaml',
    starters: 'To begin with',
    starter: [
      (project: string) => `What is left to do in ${project}?`,
      (project: string) => `What went wrong in the last sessions of ${project}, and why?`,
      (project: string) => `Sum up what changed in ${project} this week.`,
    ],
    general: [
      'What did my agents do today?',
      'Which tool calls failed most often, and why?',
      'What did my sessions cost this week, and for what?',
    ],
  },

  markdown: {
    code: 'Code',
    codeIn: (language: string) => `Code, ${language}`,
    copyCode: 'Copy the code',
    picture: (text: string) => (text === '' ? '[picture]' : `[picture: ${text}]`),
  },
}
