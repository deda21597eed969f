import { significantWords } from '@panoptes/engine/store'
import { commandText } from './clauses.ts'
import type { Work } from './languages.ts'
import { classifyWork } from './patterns.ts'

/** What decides whether a tool call can be the work of a step. */
export interface StepWork {
  readonly command: string
  readonly work: Work | null
  /** The words that say what the step is about. */
  readonly words: readonly string[]
}

export interface WorkCall {
  readonly name: string
  readonly input?: unknown
  /** How the call is shown. */
  readonly label?: string | undefined
  readonly files?: unknown
}

export function stepWork(label: string): StepWork {
  const command = commandText(label)
  return { command, work: classifyWork(command), words: objectWords(command) }
}

/** Returns the words of a step without its verb. */
function objectWords(command: string): readonly string[] {
  const isSpaced = /^[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(command)
  return significantWords(isSpaced ? command.replace(/^\S+\s*/, '') : command)
}

/** Tools that write down what there is to do or that talk to the person. They do none of it. */
const BOOKKEEPING = /todo|plan(?!e)|task_?(?:create|update|list|get|output|stop)|clarify|think|ask_?user/i
/** Tools that recall or note something. They only do a step that names what they work on. */
const RECALL = /session|skill|memor|remember|recall|knowledge|tool_?search/i

/** The kinds of work a tool can do, by its name. A name that says nothing may do any kind. */
const TOOL_WORK: readonly (readonly [RegExp, ReadonlySet<Work>])[] = [
  [
    /write|edit|patch|replace|create|update|delete|remove|move|rename|insert|save/i,
    new Set(['change', 'make']),
  ],
  [/bash|shell|terminal|exec|run|command|process|python/i, new Set(['run', 'look'])],
  [
    /read|view|cat|open|list|ls|get|show|search|grep|glob|find|fetch|load|browse|query/i,
    new Set(['look', 'study']),
  ],
]

/** Commands that only show something, so they run no step that changes something. */
const SHOWS =
  /^\W*(?:(?:sudo|time|env|command|bash|sh|-l?c|\w+=\S*)\s+)*(?:cat|ls|ll|head|tail|less|more|e?grep|rg|find|fd|echo|printf|wc|stat|file|which|type|pwd|tree|du|df|ps|top|man|diff|jq|awk|cd|sleep|true|set|sed -n|git\s+(?:-\S+\s+(?:[^-\s]\S*\s+)?)*(?:status|log|diff|show|branch|remote|blame|grep)|(?:kubectl|oc|docker|podman|helm|systemctl|service|npm|pip|gh \w+)\s+(?:-\S+\s+(?:[^-\s]\S*\s+)?)*(?:compose )?(?:get|describe|logs|top|ps|images|inspect|status|is-\w+|list\S*|ls|show|view|outdated|history))(?![\w-])/i

/** The verbs of steps, and the words by which a command does what they ask for. */
const RUNS = (
  [
    [
      /^(?:restart|reboot|start\p{L}* .*(?<!\p{L})neu(?!\p{L})|reinici|redémarr|перезапус)|重启|重啟|再起動/iu,
      'restart|reload|reboot|rollout',
    ],
    [/^(?:stop|halt|det[eé]n|arrêt|останов)|停止/iu, 'stop|kill|down|disable|terminate'],
    [/^(?:start|launch|inicia|arranca|démarr)|启动|起動/iu, 'start|serve|launch|up|run|enable'],
    [
      /^(?:test|verif|valid|measur|bench|prueba|mide|mesur|miss|протест|измер)|测试|測試|验证|压测|测量|テスト|計測/iu,
      'test|spec|check|verif|valid|lint|bench|measure|time|curl|vitest|pytest|jest',
    ],
    [
      /^(?:deploy|publi|release|ship|push|despl|dépl|pousse|veröffentl|разверн|опубл)|部署|发布|上线|推送|デプロイ|公開/iu,
      'deploy|apply|rollout|release|publish|promote|push|upload|ship|rsync|scp|up',
    ],
    [/^(?:instal|установ|настрой)|安装|配置|インストール/iu, 'install|add|setup|config|ci|sync'],
    [/^(?:compil|build)|编译|打包/iu, 'build|compile|make|tsc|cargo|mvn|gradle|bundle|tar|zip|pack'],
    [/^commit|提交|コミット/iu, 'commit'],
    [/^tag/iu, 'tag'],
    [
      /^(?:restor|back up|upload|import|export|save|store|guarda|sube|restaur|sauvegard|сохран|восстан|sicher|lad)|备份|恢复|保存|导出|导入|上传|输出|同步/iu,
      'restore|backup|dump|cp|copy|rsync|scp|export|import|load|upload|save|store|tar|zip|write|put|tee|sync',
    ],
    [
      /^(?:send|post|email|call|invite|book|order|buy|schedul|schick|verschick|buch|bestell|kauf|ruf|reserv|env[ií]|mand|compra|llama|envo|réserv|achet|achèt|appel|command|contact|отправ|заброн|закаж|куп|позвон|пришл|вышл)|发(?!布)|通知|预订|预约|订|购买|买|联系|邀请|寄|送|予約|連絡|注文|買/iu,
      'send|mail|email|post|message|notify|slack|curl|call|invite|book|reserv|order|buy|purchase|schedul|calendar',
    ],
  ] as const
).map(([step, words]) => ({
  step,
  // A short word is a whole one, so that "up" is not "update".
  command: new RegExp(`(?<![a-z])(?:${words.replaceAll(/(?<![a-z])[a-z]{2,3}(?![a-z])/g, '$&(?![a-z])')})`),
}))
const MOST_INPUT = 8_000

/**
 * Returns the part of a call that can be the work of a step, or null if the call cannot do it: it is
 * the wrong kind of tool, it only notes or recalls something, or its command does something else.
 */
function workText(step: StepWork, call: WorkCall): string | null {
  const { work, command } = step
  if (BOOKKEEPING.test(call.name)) return null
  const recalls = RECALL.exec(call.name)?.[0]
  const isReading = work === 'look' || work === 'study' || work === null
  if (recalls !== undefined && !(isReading && containsWord(command.toLowerCase(), recalls.toLowerCase())))
    return null
  const kinds = TOOL_WORK.find(([name]) => name.test(call.name))?.[1]
  if (work !== null && kinds !== undefined && !kinds.has(work)) return null
  const text = callText(call, kinds?.has('run') === true && work !== 'look')
  if (work === 'run') return matchesVerb(command, text) ? text : null
  // A verb that no table has is looked for in the call, unless the call changes something.
  if (
    work === null &&
    kinds !== undefined &&
    !kinds.has('change') &&
    !containsWord(text, extractVerb(command))
  )
    return null
  return text
}

/** True if a text contains what the step's verb asks for. */
function matchesVerb(command: string, text: string): boolean {
  const asked = RUNS.filter(({ step }) => step.test(command))
  return asked.length === 0 ? /\p{L}/u.test(text) : asked.some((run) => run.command.test(text))
}

const extractVerb = (command: string): string => /^[\p{L}-]+/u.exec(command.toLowerCase())?.[0] ?? ''

/** A description of a command only says what it is for, so the command alone counts. */
function callText({ name, input, label = '', files }: WorkCall, isCommand: boolean): string {
  const { command, cmd, script, code } =
    typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {}
  const run = command ?? cmd ?? script ?? code
  const whole =
    isCommand && run !== undefined
      ? JSON.stringify(run)
      : `${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')} ${label} ${JSON.stringify(input ?? '')} ${JSON.stringify(files ?? '')}`
  const text = whole.slice(0, MOST_INPUT)
  const acting = isCommand ? text.split(/[;&|"]|\\n/).filter((part) => !SHOWS.test(part)) : [text]
  return acting.join('\n').toLowerCase()
}

/** Texts that a person reads. A file or a program does not exist because the answer names it. */
const WRITES =
  /^(?:write|draft|compose|outline|prepare|schreib|verfass|entw[ei]rf|formulier|escrib|redact|écri|rédig|напиш|состав)|写|撰|拟|起草|寫|書/iu
const PROGRAM =
  /test|script|function|funktion|fonction|función|code|código|migra|modul|class|prueba|program|程序|代码|测试|脚本|函数|コード|テスト|スクリプト|関数|код|тест|скрипт|функци/iu
const FILE = /[\p{L}\d_-]+\.[a-z]\w{0,4}(?!\w)|\w\/\w/iu
const TO_FILE =
  /(?:(?<!\p{L})(?:in|to|into|as|nach|als|en|a|dans|vers|sous|в|как)\s+`?|写[入到进]|存[到入为成]|到|导出)[^\s,，。]{0,40}\.[a-z]\w{0,4}(?!\w)|\.[a-z]\w{0,4}`?\s*[にへ]/iu

/** True if the answer's text itself is what a step asks for. */
export function isDoneByText({ command, work }: StepWork): boolean {
  if (work === 'tell' || work === 'study') return !TO_FILE.test(command)
  return work === 'make' && WRITES.test(command) && !PROGRAM.test(command) && !FILE.test(command)
}

/**
 * True if somebody who worked on this step alone has done it: by its calls, or by a text if the step
 * needs no action.
 */
export function isStepDone(label: string, calls: readonly WorkCall[]): boolean {
  const step = stepWork(label)
  const isFound = step.work === 'look' || step.work === null
  if (isDoneByText(step) || (isFound && !TO_FILE.test(step.command))) return true
  return calls.some((call) => (findNamedWords(step, call) ?? []).length > 0)
}

/**
 * Returns the words of a step that a call names, or null if the call cannot do the step. A step that
 * consists of a verb is named by its verb.
 */
export function findNamedWords(step: StepWork, call: WorkCall): readonly string[] | null {
  const text = workText(step, call)
  if (text === null) return null
  return (step.words.length === 0 ? [extractVerb(step.command)] : step.words).filter((word) =>
    containsWord(text, word),
  )
}

/** True if a text contains a word in any inflection: both start with the same letters. */
export function containsWord(text: string, word: string): boolean {
  const stem = /^[\p{Script=Latin}\p{Script=Cyrillic}]{5,}$/u.test(word)
    ? word.slice(0, Math.max(4, word.length - 2))
    : word
  if (stem === '') return false
  const isSpaced = /^[\p{Script=Latin}\p{Script=Cyrillic}\d]/u.test(stem)
  for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + 1))
    if (!isSpaced || !/[\p{L}\d]/u.test(text[at - 1] ?? ' ')) return true
  return false
}
