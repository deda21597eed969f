/** Units of time as they are called elsewhere. Those of Chinese, Japanese and Korean stand without a space. */
const UNITS: readonly (readonly [unit: string, spaced: string, unspaced: string])[] = [
  [
    'ms',
    'мс|миллисекунд[аы]?|Millisekunden?|milisegundos?|millisecondes?|millisecondi',
    '毫秒|ミリ秒|밀리초',
  ],
  [
    's',
    'сек|секунд[аыу]?|с(?=\\s*(?:$|[.,;)]))|Sek|Sekunden?|segundos?|secondes?|secondi',
    '秒钟|秒鐘|秒間|秒|초',
  ],
  ['min', 'мин|минут[аыу]?|Minuten?|minutos?|minuti', '分钟|分鐘|分間|분'],
  ['h', 'ч|час(?:а|ов)?|Stunden?|Std|horas?|heures?', '(?:个|個)?小时|(?:個)?小時|時間|시간'],
  ['days', 'дн(?:я|ей)|день|Tagen?|días?|dias?|jours?|giorni', '天|日間'],
]
const NAMES = new RegExp(
  `(?<=\\d)[ \\u00a0\\u202f]?(?:${UNITS.map(([, spaced, unspaced]) => `((?:${spaced})(?![\\p{L}\\d])|${unspaced})`).join('|')})`,
  'giu',
)

/** Units of time behind numbers, in English. */
export const inEnglish = (phrase: string): string =>
  phrase.replace(NAMES, (all, ...groups: readonly unknown[]) => {
    const at = groups.slice(0, UNITS.length).findIndex((group) => group !== undefined)
    const unit = UNITS[at]?.[0]
    return unit === undefined ? all : ` ${unit} `
  })
