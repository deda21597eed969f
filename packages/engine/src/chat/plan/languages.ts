/**
 * The words people use to divide a task, by language. Every entry is a piece of a regular
 * expression; a trailing `*` stands for any ending of a word. Each message is read with the tables
 * of its own languages (see `patternsFor`), so a word of one language never opens a clause of
 * another.
 */
export interface LanguageWords {
  /** Opens the step that comes first. */
  readonly first: readonly string[]
  /** Opens a step that needs the one before. */
  readonly next: readonly string[]
  /** Opens a step that runs in parallel with the one before. */
  readonly beside: readonly string[]
  /** Means the same inside a clause, without opening one. */
  readonly besideWithin?: readonly string[]
  /** Joins clauses without implying an order. */
  readonly and: readonly string[]
  /** Begins another clause without a preceding comma. */
  readonly joints: readonly string[]
  /** May precede a verb without changing its meaning, such as a request for help. */
  readonly polite: readonly string[]
  /** Turns a question into a request. */
  readonly request: readonly string[]
  /** Opens a question. */
  readonly question: readonly string[]
  /** Shows, anywhere in a sentence, that it asks or states something and requests nothing. */
  readonly noRequest: readonly string[]
  /**
   * Opens a sentence that describes what something does, in a language where a command has the same
   * form.
   */
  readonly subject?: readonly string[]
  /** Opens a sentence that describes what was done or what is the case. */
  readonly narrative: readonly string[]
  /**
   * Opens a clause that is not a command, such as a wish for how something is done, or a subject.
   */
  readonly noCommand: readonly string[]
  /** Shows, before the first command of a sentence, that it describes the past. */
  readonly past: readonly string[]
  /** Opens a subordinate clause; verbs after it belong to it. */
  readonly within: readonly string[]
  /** Opens a subordinate clause with a subject of its own, which ends at the next comma. */
  readonly finite: readonly string[]
  /** Ends a clause without a comma or joining word. */
  readonly breaks?: readonly string[]
  /** Ends a list item that names its work with a noun, as in "review of the log". */
  readonly nominal?: readonly string[]
  /** Asks for something anywhere in a message, so that such items are work. */
  readonly pleas?: readonly string[]
  /** Opens a condition for the clause after it. */
  readonly condition: readonly string[]
  /** Opens a clause about work of the reader that runs in parallel with the rest of the sentence. */
  readonly during?: readonly string[]
  /** Opens the purpose of something that is made; verbs after it belong to that thing. */
  readonly purpose: readonly string[]
  /** The words for "step", as in "step 1". */
  readonly step: readonly string[]
  /** Verbs that open a clause, by the work they ask for. */
  readonly verbs: Readonly<Record<Work, readonly string[]>>
  /** Forms of any other verb that opens a clause. */
  readonly verbForms: readonly string[]
  /** Forms of a verb that ends its clause. */
  readonly verbEnds: readonly string[]
  /** Verbs that are often nouns. Between commas they open a clause only before an object. */
  readonly nouns?: readonly string[]
  /** Words that such an object begins with. */
  readonly objects?: readonly string[]
  /** Refers to all previous steps. */
  readonly whole?: readonly string[]
  /** Ends a request in the form of a question. */
  readonly requestEnds?: readonly string[]
  /** The language has no spaces between words. */
  readonly isUnspaced?: boolean
  /** Whatever follows an order word is a command, whether or not its verb is known. */
  readonly anyVerb?: boolean
  /** The mark 、 separates nouns and not clauses. */
  readonly isEnumeration?: boolean
  /** Frequent function words by which the language is detected. */
  readonly common: readonly string[]
  /** Letters that other languages of the same script hardly use. */
  readonly letters?: RegExp
  /** Verbs that treat a list next to them as one text, such as "translate". */
  readonly material: readonly string[]
}

/**
 * What a step asks for: to look something up, change it, make something, run it, study it, or
 * report on it.
 */
export type Work = 'look' | 'change' | 'make' | 'run' | 'study' | 'tell'

const DETERMINER =
  '(?:the|an?|my|our|your|all|each|every|it|them|this|that|these|those|me|us|any|some|both|its|their|his|her|one|two|three|\\d+)'

/** What may stand before an article in German and is no verb. */
const GERMAN_FUNCTION_WORD =
  '(?:und|oder|aber|denn|doch|sondern|dass|weil|wenn|falls|ob|als|wie|während|bevor|nachdem|damit|obwohl|sobald|solange|seit|bis|mit|ohne|für|gegen|um|durch|in|an|auf|aus|bei|nach|von|zu|vor|hinter|über|unter|neben|zwischen|trotz|wegen|statt|laut|ab|per|pro|ist|sind|war|hat|hatte|wird|kann|soll|muss|darf|will|mag|ich|du|er|sie|es|wir|ihr|man|der|die|das|dem|den|des|(?:ein|kein|mein|dein|sein|unser|dies|jed|all|beid|solch|manch|viel|einig|welch|ander|neu)\\p{L}{0,3}|wer|was|wo|wann|warum|wieso|nur|auch|noch|schon|sehr|so|da|dort|hier|jetzt|heute|morgen|gestern|dann|danach|immer|nie|oft|nicht|sonst|vielleicht|leider|bitte|mal|zwei|drei|etwa|genau|ganz|mehr|außer|samt|sowie|also|nun|eben|hallo|fast|rund|plus|sich)(?!\\p{L})'

/** Splits a list of words at its commas. Backslashes stay as they are, for the expressions. */
const words = ({ raw }: TemplateStringsArray, ...values: readonly string[]): readonly string[] =>
  String.raw({ raw }, ...values)
    .trim()
    .split(/,\s+/)

export const LANGUAGES: Readonly<Record<string, LanguageWords>> = {
  en: {
    common: words`
      the, a, an, of, to, and, is, are, in, for, with, it, that, this, my, our, your, from, on, at,
      by, as, be, not, what, which, how, we, you, they, their, its, into
    `,
    material: words`
      translate, compare, sort, rank, rephrase, proofread, shorten, classify, categori[sz]e,
      reformat, rewrite, paraphrase,
      (?:check|review|read|improve|correct|fix|format|convert|simplify|turn) (?:this|these|the|my|our)(?: following)? (?:list|plan|steps?|text|sentences?|words?|notes?|minutes|commands?|recipe|instructions|changelog|log|outline)
    `,
    objects: words`
      the, an?, my, our, your, all, each, every, it, them, this, that, these, those, me, us, any,
      some, both, its, their, for, with, on, in, to, back, up, out, over, through, again, whether,
      how, what, why, if, from, at, about, as, everything
    `,
    whole: ['these', 'them', 'both', 'all', 'everything'],
    anyVerb: true,
    nouns: words`
      plan, test, report, design, document, study, research, draft, release, count, look, order,
      book, record, format, filter, group, name, answer, estimate, export, import, store, tag,
      chart, query, post, call, commit, scan, load, benchmark, audit, schedule, email, cook,
      cluster, plot, list, build, split, present, produce, present
    `,
    first: ['first(?: of all)?', 'firstly', 'to (?:begin|start) with', 'start by'],
    next: words`
      then, next, after(?:wards| that| this), subsequently, later, second(?:ly)?, third(?:ly)?,
      finally, lastly, last, (?:at|in) the end,
      once (?:that|this|it|they|all|both|everything|the)[^,]{0,40},
      (?:when|after|as soon as) [^,]{1,40}(?:done|finished|ready|completed?),
      based on (?:that|this|it), using (?:that|this|it|the results?),
      with (?:that|this|the results?)
    `,
    beside: words`
      at the same time, in parallel, meanwhile, in the meantime, simultaneously, concurrently,
      side by side, while that (?:runs|is running), independently
    `,
    besideWithin: ['each of', 'separately'],
    and: ["while (?:you are|you're) at it", 'and', 'but', 'also', 'plus', 'as well as'],
    joints: words`
      and, but, then, afterwards, after that, finally, meanwhile, at the same time, while you
    `,
    polite: words`
      please, now, just, also, help me(?: to)?, let's, go ahead and, try to,
      i(?: would|'d) like you to, i (?:want|need) you to, you (?:should|need to|have to|must),
      carefully, quickly, briefly, kindly, we (?:need|have) to
    `,
    request: ['(?:can|could|would|will) you', 'would you mind', 'are you able to'],
    question: words`
      what, why, who, whose, which, how, is, are, was, were, does, do (?:you|i|we|they), did, has,
      have (?:you|we|i|they), should, may i, can (?:i|we|it|this|the), could (?:i|we|it), shall
    `,
    noRequest: [],
    narrative: words`
      i, i'\w+, we, we'\w+, he, she, they, it, there, yesterday, last (?:week|month|year|night)
    `,
    noCommand: words`
      my, our, the, this, that, these, those, an?, don't, do not, never, keep, make sure, thanks,
      thank you, sorry, be, use
    `,
    past: [],
    within: ['(?:how|what|where|when|whether) to'],
    finite: ['how', 'why', 'whether'],
    during: ["while you(?!(?: are|'re) at it)"],
    purpose: ['to {verb}', 'that', 'which'],
    condition: ['if', 'unless', 'in case', 'where', 'when'],
    step: ['step'],
    verbs: {
      look: words`
        look, read, find, search, list, show, open, check, count, fetch, get, download, collect,
        gather, inspect, extract, see, load, scan, query, pull, browse, identify, locate, pick,
        choose, select, ask, monitor
      `,
      change: words`
        fix, debug, change, convert, translate, update, edit, rename, replace, remove, delete, move,
        add, merge, combine, sort, clean, improve, optimi[sz]e, upgrade, format, adjust, set,
        filter, correct, apply, simplify, split, group, cluster, revert, insert
      `,
      make: words`
        implement, build, refactor, rewrite, migrate, design, create, make, write, draft, document,
        generate, prepare, plan, develop, draw, set up, outline, compose, plot, chart, record,
        put together, cook, produce
      `,
      run: words`
        do (?:this|these|the following), run, test, install, deploy, measure, verify, validate, start, restart, stop, execute,
        compile, publish, release, push, commit, tag, send, book, order, restore, back up,
        benchmark, try, upload, import, export, save, store, schedule, post, buy, call, invite,
        email
      `,
      study: words`
        research, compare, investigate, review, analy[sz]e, evaluate, study, explore, examine,
        estimate, assess, calculate, compute, audit, determine, decide, learn
      `,
      tell: words`
        tell, explain, describe, summari[sz]e, report, suggest, propose, recommend, give, answer,
        conclude, say, name, let me know, present, highlight, point out
      `,
    },
    // Any word before a determiner, except those that no command begins with.
    verbForms: words`
      (?!(?:need|agreed|freed|\p{L}*[^e]ed|\p{L}+(?:ing|[^s]s)|(?!(?:apply|comply|multiply|rally|rely|reply|supply|tally)(?!\p{L}))\p{L}+ly|[a-z]|an|for|with|in|on|of|from|to|by|at|about|into|over|under|like|as|than|or|nor|so|because|since|when|while|where|which|who|that|what|why|how|is|are|was|were|be|been|has|have|had|did|does|do|can|could|would|will|should|not|only|even|both|all|plus|via|per|through|during|within|without|between|against|across|after|before|until|except|if|though|although|whether|went|ran|wrote|found|made|took|saw|got|sent|built|broke|came|gave|told|left|kept|quite|such|half|just|still|almost|once|twice|maybe|perhaps|hello|hi|hey|dear|behind|these|those|the|some|any|every|each|it|they|we|you|he|she|and|but|one|two|three|my|our|your|then|use|keep|around|up|out)(?!\p{L}))[\p{Ll}-]{2,18}\s+(?:(?:out|up|off|down|back|away|apart|together)\s+)?(?:${DETERMINER}|(?<=\s(?:out|up|off|down|back|away)\s+)(?:what|why|how|whether|who|which|if|everything))(?![\p{L}'-]),
      (?:log|sign|check|plug|fill|opt)\s+(?:in|out)(?!\p{L})
    `,
    verbEnds: [],
  },
  zh: {
    isEnumeration: true,
    common: [],
    material: words`
      (?:把|将)?[^，,。；]{0,30}?(?:翻译|翻成|译成|比较|对比|排序|排个序|润色|改写|校对|缩写|归类|分类|翻譯)
    `,
    isUnspaced: true,
    anyVerb: true,
    first: ['首先', '第一步', '先(?![前生进進天锋后後例驱知辈祖])', '其一'],
    next: words`
      然后, 随后, 接着, 接下来, 之后(?!的), 再次, 再(?![见見次生现版说三也者]), 其次, 最后(?!的|期限|一[次个天名刻]|通牒), 最终,
      第[二三四五六七八九十]步?, [^，,。；]{0,10}(?:完成|[做弄写跑改看搞干]完|结束|搞定|好)了?(?:之后|以后|后),
      没(?:有)?问题(?:的话|后|就), 然後, 最後, 接著, 之後, 末了, (?:根据|基于)(?:结果|以上|这些)
    `,
    beside: words`
      与此同时, 同时(?![期代]), 并行(?:地)?, 一边, 与之同时, 同步(?=进行|地|开展|推进), 同時, 平行(?=地|进行), 另外并行
    `,
    besideWithin: ['分别', '各自'],
    and: ['并且', '并', '而且', '以及', '还要', '也要', '并且还', '和', '就'],
    joints: words`
      (?<![合归兼吞火])并(?![行发列排购]), 再(?![见次生现版]), 然后, 随后, 接着, 接下来, 最后, 与此同时, (?<!与此)同时, 然後, 最後
    `,
    polite: words`
      请你, 请, 麻烦你?, 帮我, 帮忙, 帮, 给我, 替我, 我想让你, 我想请你, 我需要你, 你, 需要, 要, 我要, 记得, 顺便, 分别, 逐个, 請, 幫我, 去, 仔细,
      快速
    `,
    request: ['能不能', '可不可以', '可以', '能否', '可否', '能', '是否可以'],
    question: words`
      怎么, 为什么, 为何, 如何, 什么, 谁, 哪, 是不是, 有没有, 怎样, 怎麼, 為什麼
    `,
    noRequest: ['吗$', '呢$', '什么区别', '嗎$', '是什么$'],
    narrative: ['我(?!想让你|想请你|需要你|要)', '我们', '他', '她', '它', '昨天', '前天', '上周', '刚才'],
    noCommand: words`
      这, 那, 不, 没, 别, 无需, 是, 也, 都, 就是, 有, 才, 因为, 由于, 感谢, 谢谢, 祝, 欢迎, 恭喜, 抱歉, 对不起, 很, 大家
    `,
    past: ['我[^，,。]{0,6}(?:昨天|刚才|已经|之前)'],
    finite: [],
    // Some verbs begin compound nouns as well, as in 说明文字.
    breaks: ['、(?!说明|报告|总结|介绍|建议|描述|设计|通知)(?={verb}[^、，,。；;的和与及])'],
    within: ['如何', '怎么', '怎样', '(?:一个|一段|一种|一款|一篇|一首)(?!.{0,60}的)'],
    purpose: [],
    condition: ['如果', '要是', '若', '假如'],
    step: ['步骤'],
    verbs: {
      look: words`
        读取, 阅读, 读(?![者书]), 查看, 看看, 看(?![法点来似]), 检查, 查找, 搜索, 查询, 查, 搜, 找出, 找, 列出, 列(?![表车]), 打开, 获取,
        弄清, 搞清, 查清, 登录, 登陆, 抓取, 下载, 收集, 统计, 提取, 筛选, 挑选, 选(?![项手]), 确认, 核对, 扫描, 爬取, 浏览, 讀取, 閱讀, 檢查, 下載, 校验, 拉取
      `,
      change: words`
        修好, 裁剪, 隔离, 清空, 清除, 切换, 启用, 禁用, 关闭, 开启, 移动, 复制, 回滚, 修复, 修改, 改(?![革天]), 更新, 添加, 增加, 加(?!班|拿大), 删除, 移除,
        翻译, 转换, 转, 合并, 排序, 过滤, 优化, 调整, 清理, 清洗, 校对, 润色, 补上, 补充, 替换, 重命名, 拆分, 整理, 修正, 去掉, 升级, 压缩, 格式化,
        修復, 翻譯, 刪除, 完善
      `,
      make: words`
        重建, 剪辑, 录制, 拼接, 编写, 撰写, 起草, 写(?![法字]), 创建, 新建, 生成, 制作, 做(?!法), 画(?![面家质]), 绘制, 设计, 实现, 开发,
        构建, 重构, 重写, 迁移, 制定, 准备, 安排, 搭建, 拟, 建(?![议筑]), 起(?=一?[个份]), 規劃, 撰寫, 寫, 設計, 實現, 规划
      `,
      run: words`
        克隆, 打包, 上线, 压测, 联调, 截图, 运行, 执行, 跑(?!步), 测试, 部署, 编译, 同步, 安装, 配置, 验证, 测量, 提交, 发布, 发送,
        发(?![现票言展生]), 推送, 重启, 启动, 备份, 保存, 导出, 导入, 输出, 上传, 预订, 预约, 订(?![单阅]), 购买, 买(?![家卖]), 联系, 通知,
        训练, 恢复, 寄, 邀请, 運行, 測試, 部署
      `,
      study: words`
        调研, 研究, 比较, 对比, 分析, 评估, 评审, 审查, 计算, 梳理, 调查, 考察, 学习, 估算, 排查, 定位, 比較, 研讀, 分析
      `,
      tell: words`
        总结, 汇总, 归纳, 概括, 解释, 说明, 介绍, 告诉, 推荐, 报告, 指出, 提炼, 回答, 描述, 建议, 给出, 列举, 總結, 說明, 提出, 汇报
      `,
    },
    verbForms: words`
      把(?![手握柄关])[^，,。；]{3,40}(?<!了)$, (?:把|将|对|从|按|按照|根据|针对|向|给)[^，,。；]{1,40}?{verb},
      (?:如果|要是)[^，,。；]{1,30}就{verb},
      (?![这那不没别是也都有就很我你他她它])\p{Script=Han}{1,2}(?:它们?|他们|一[个下份篇张次条]|这[个些]|那[个些]|所有|全部)
    `,
    verbEnds: [],
  },
  de: {
    letters: /[äöüß]/,
    common: words`
      der, die, das, den, dem, des, ein, eine, einen, einem, einer, und, ist, sind, im, in, mit, zu,
      zum, zur, von, für, auf, aus, nach, neu, nicht, wie, was, wir, sie, es, ins, am, an, beim,
      vom, alle, noch, man
    `,
    material: words`
      übersetz*, vergleich*, sortier*, ordne*, klassifizier*, formulier*, kürz*, paraphrasier*
    `,
    whole: ['alles', 'alle', 'beides', 'das alles'],
    anyVerb: true,
    first: ['zuerst', 'als erstes', 'zunächst', 'erst(?:ens|mal)?', 'am anfang', 'zu beginn'],
    next: words`
      dann, danach, anschließend, daraufhin, als nächstes, im anschluss, zweitens, drittens,
      schließlich, zum schluss, zuletzt, am (?:ende|schluss), abschließend, sobald [^,]{1,40},
      wenn [^,]{1,30}(?:fertig|erledigt|bereit) (?:ist|sind), später
    `,
    beside: words`
      gleichzeitig, zeitgleich, parallel(?: dazu)?, währenddessen, zur selben zeit,
      zur gleichen zeit, nebenbei, unterdessen, in der zwischenzeit
    `,
    and: ['und', 'sowie', 'aber', 'auch'],
    joints: ['und', 'aber', 'dann', 'danach', 'anschließend', 'gleichzeitig'],
    polite: [
      'bitte',
      'jetzt',
      'mal',
      'hilf mir,?',
      'ich möchte, dass du',
      'du sollst',
      'auch',
      'noch',
      'kurz',
      'sorgfältig',
    ],
    request: ['(?:kannst|könntest|würdest) du', '(?:können|könnten|würden) sie', 'magst du'],
    question: words`
      was, wie, warum, wieso, wer, wann, wo, welche[rsnm]?, ist, sind, hat, haben, soll,
      kann (?:ich|man|es), gibt es, wozu, woran
    `,
    noRequest: [],
    narrative: [
      'ich(?! möchte, dass)',
      'wir',
      'er',
      'es(?!$|[^,]{0,40}(?:en|ern|eln)$)',
      'man',
      'gestern',
      'am \\p{L}+tag',
      'letzte \\p{L}+',
      'leider',
    ],
    noCommand: ['(?:der|die|das|den)\\s+\\p{L}+$', 'kein\\p{L}*', 'nicht', 'danke', 'vielen dank'],
    past: ['(?<!\\p{L})(?:war|waren|wurden?|hatten?)(?!\\p{L})'],
    within: ['wie man'],
    finite: ['wie', 'warum', 'wieso', 'ob'],
    during: ['während (?:du|sie)'],
    purpose: ['um'],
    condition: ['wenn', 'falls', 'sobald', 'sofern'],
    step: ['schritt'],
    verbs: {
      look: words`
        lies, les(?:e|en|t), such*, find*, prüf*, schau*, sieh, öffne*, lade, hol*, sammle*,
        sammeln, liste*, zähl*, überprüf*, zeig*, wähl*, kontrollier*, durchsuch*, ermittle*,
        ermitteln, frag*, sichte*
      `,
      change: words`
        häng*, setz, setze, korrigier*, änder*, übersetz*, behebe*, repariere*, aktualisier*,
        lösch*, entfern*, ergänz*, füge*, ersetz*, sortier*, bereinig*, verschieb*, benenn*, kürz*,
        verbesser*, bring*, fass*, trenn*, ordne*
      `,
      make: words`
        schreib*, erstell*, bau*, entwirf, entwerf*, entwickl*, implementier*, mach*, plan*,
        zeichne*, bereite*, verfass*, leg*, richte*, generier*, migrier*, gestalte*
      `,
      run: words`
        führ*, teste*, start*, installier*, bestell*, buch*, send*, schick*, veröffentlich*, miss,
        spiele, reservier*, verschick*, stell*, sicher*, kauf*, ruf*, lad*
      `,
      study: words`
        vergleich*, recherchier*, untersuch*, analysier*, bewert*, rechne*, berechn*, schätz*,
        studier*, erforsch*
      `,
      tell: words`
        erklär*, beschreib*, fasse, sag*, nenn*, empfiehl*, bericht*, gib, geb*, schlag*, erläuter*,
        melde*, informier*
      `,
    },
    verbForms: words`
      (?!(?:eine?|alle|diese|jede|keine|meine|deine|seine|ihre|unsere|ohne|beide|solche|manche|viele|einige|neue|wie|die|sie|heute|zwei)(?!\p{L}))\p{L}{2,14}e\s+(?:den|die|das|dem|der|eine?[nrms]?|alle|ihn|sie|es|mir|uns|sie|dazu)(?!\p{L}),
      (?!${GERMAN_FUNCTION_WORD})(?!\p{L}*(?:ung|heit|keit|schaft|tion|lich|isch|st|[^h]t|en|er|el)(?!\p{L}))\p{L}{2,14}\s+(?:den|die|das|dem|eine?[nrms]?|alle|ihn|sie|mir|dir|mich|dich|uns|euch|dein\p{L}*|mein\p{L}*)(?!\p{L}),
      \p{L}{3,}st\s+du(?!\p{L}),
      (?!(?:papiere|klaviere|karriere|barriere|premiere|offiziere)(?!\p{L}))\p{L}{3,}iere\s+\p{L}
    `,
    verbEnds: ['(?<!\\p{L})\\p{Ll}{2,}(?:en|ern|eln)'],
  },
  es: {
    letters: /[ñáíóú]/,
    subject: words`
      (?:el|los|las|una?|este|esta) \p{L}+(?!\p{L})(?! (?:es|está|son|están)(?!\p{L})),
      la (?!semana)\p{L}+(?!\p{L})(?! (?:es|está)(?!\p{L}))
    `,
    common: words`
      el, la, los, las, un, una, unos, unas, de, del, y, que, en, por, para, con, al, es, son, se,
      su, sus, mi, tu, no, lo, todo, está, esto, este, esta, más
    `,
    material: words`
      traduc*, traduzc*, compar*, orden(?:a|e|ar), clasific*, reformul*, acort*, parafrase*
    `,
    whole: ['todo', 'todas', 'todos', 'ambas', 'ambos'],
    anyVerb: true,
    first: ['primero', 'en primer lugar', 'para empezar', 'antes que nada'],
    next: words`
      luego, después(?: de eso)?, a continuación, posteriormente, en segundo lugar, finalmente,
      por último, al final, para terminar, una vez [^,]{1,40},
      cuando [^,]{0,20}(?:termines|acabes|esté)[^,]{0,30}, más tarde, entonces
    `,
    beside: words`
      al mismo tiempo, a la vez, mientras tanto, en paralelo, simultáneamente, paralelamente,
      entretanto
    `,
    and: ['y', 'e', 'pero', 'también', 'además'],
    joints: ['y', 'e', 'pero', 'luego', 'después', 'por último', 'finalmente'],
    polite: words`
      por favor, ahora, ayúdame a, quiero que, necesito que, también, además, me gustaría que
    `,
    request: ['¿?\\s*(?:puedes|podrías|puede|podría|me puedes|me podrías)'],
    question: ['¿', 'qué', 'cuál(?:es)?', 'cómo', 'por qué', 'quién', 'cuándo', 'dónde'],
    noRequest: [],
    narrative: ['yo', 'ayer', 'anoche', 'la semana pasada', 'hemos', 'he', 'había', 'nosotros'],
    noCommand: ['no', 'gracias', 'el', 'la', 'los', 'las', 'una?'],
    past: [],
    within: ['cómo \\p{L}+[aeií]r(?:l[aeo]s?)?'],
    finite: ['cómo', 'si', 'por qué'],
    during: ['mientras \\p{L}{2,}[ae]s'],
    purpose: ['para', 'que'],
    condition: ['si', 'cuando', 'en caso de que'],
    step: ['paso'],
    verbs: {
      look: words`
        lee, lea, leer, busca, busque, revisa, revise, encuentra, descarga, descargue, mira, abre,
        consulta, comprueba, compruebe, verifica, lista, obtén, extrae, extraiga, recopila, recoge,
        reúne, elige, selecciona, cuenta, identifica, localiza
      `,
      change: words`
        corrige, corrija, arregla, arréglal*, traduce, traduzca, actualiza, actualice, elimina,
        borra, cambia, agrega, añade, ordena, limpia, convierte, mueve, reemplaza, combina, une,
        mejora, marca, filtra, agrupa, quita
      `,
      make: words`
        escribe, escriba, crea, cree, prepara, prepare, redacta, redacte, diseña, implementa,
        construye, haz, haga, genera, dibuja, grafica, elabora, planifica, desarrolla, organiza,
        arma, refactoriza
      `,
      run: words`
        ejecuta, ejecute, prueba, instala, despliega, mide, publica, publique, reserva, envía,
        envíame*, manda, mándame*, guarda, reinicia, inicia, compra, llama, entrena, sube, restaura
      `,
      study: words`
        compara, compare, compáral*, analiza, analice, analízal*, investiga, estudia, evalúa,
        calcula, estima, examina
      `,
      tell: words`
        explica, resume, resuma, dime, cuéntame, describe, recomienda, propón, sugiere, informa,
        presenta, muestra, muéstrame, indica, dame
      `,
    },
    verbForms: words`
      \p{L}{2,}(?:ar|er|ir)(?:l[aoe]s?|me|te|se|nos)?(?!\p{L}), ve \p{L}+ndo(?!\p{L}),
      \p{L}{3,}[ae]\s+(?:por qué|si|quién|qué|cómo|cuál|dónde|cuánt[oa]s?)(?!\p{L}), \p{L}{2,}[aeéíáú]l[aoe]s?(?!\p{L}),
      (?!(?:para|sobre|entre|desde|hacia|durante|ante|contra|este|esta|una|cada|toda|tras|mientras|además|después|antes|todas|estas|otras|tres|apenas)(?!\p{L}))\p{L}{3,}[ae]s?\s+(?:el|la|al|los|las|una?|unos|unas|mi|tu|su|mis|tus|sus|este|esta|lo|me|cada|todos|todas)(?!\p{L})
    `,
    verbEnds: [],
  },
  fr: {
    letters: /[àâçèêëîïôùûœ]/,
    subject: ["(?:(?:les?|la|une?|cet?|cette|ces) |l['’])\\p{L}+(?!\\p{L})(?! (?:est|sont)(?!\\p{L}))"],
    common: words`
      le, la, les, un, une, des, du, de, et, est, sont, à, au, aux, en, pour, avec, sur, dans, que,
      qui, ce, cette, ces, mon, ton, son, votre, notre, nos, vos, ne, pas, il, elle, se, moi
    `,
    material: words`
      traduis*, traduire, compar*, trie*, trier, class(?:e|er|ez), reformul*, raccourci*, paraphras*
    `,
    whole: ['tout', 'tous', 'toutes', 'les deux'],
    anyVerb: true,
    first: words`
      d['’]abord, tout d['’]abord, premièrement, en premier(?: lieu)?, pour commencer, commence par
    `,
    next: words`
      ensuite, puis, après(?: cela| ça| quoi)?, deuxièmement, enfin, finalement, pour finir,
      à la fin, en dernier(?: lieu)?, une fois [^,]{1,40}, pour terminer,
      quand [^,]{1,30}(?:fini|terminé|prêt), plus tard
    `,
    beside: words`
      en même temps, en parallèle, parallèlement, simultanément, pendant ce temps, au même moment,
      entre-temps
    `,
    and: ['et', 'mais', 'aussi', 'ainsi que'],
    joints: ['et', 'mais', 'puis', 'ensuite', 'enfin'],
    polite: words`
      s['’]il (?:te|vous) plaît, maintenant, aide-moi à, aidez-moi à, merci de, veuillez,
      je (?:veux|voudrais) que tu, aussi, il faut(?: que (?:tu|vous))?, que (?:tu|vous), tu dois
    `,
    request: words`
      peux-tu, pourrais-tu, pouvez-vous, pourriez-vous, est-ce que tu peux, tu peux, vous pouvez
    `,
    question: words`
      quel(?:le)?s?, comment, pourquoi, qui, où, combien, est-ce, qu['’]est-ce, que, quoi
    `,
    noRequest: [],
    narrative: words`
      je(?! (?:veux|voudrais) que), j['’]\p{L}+, nous, il(?! faut), elle, on, hier,
      la semaine dernière
    `,
    noCommand: ['ne', 'merci', "n['’]\\p{L}+", 'pas', 'les?', 'la', "l['’]\\p{L}+", 'une?'],
    past: ["(?<!\\p{L})j['’]ai"],
    within: ['comment (?:\\p{L}+er|\\p{L}+ir|\\p{L}+re)'],
    finite: ['comment', 'pourquoi', 'si'],
    during: ['pendant que (?:tu|vous)'],
    purpose: ['pour', 'qui'],
    condition: ['si', "s['’]il", 'quand', 'lorsque'],
    step: ['étape', 'etape'],
    verbs: {
      look: words`
        lis, lisez, lire, cherche, recherche, trouve, vérifie, télécharge, regarde, ouvre, consulte,
        liste, relève, relis, récupère, collecte, rassemble, extrais, choisis, sélectionne, compte,
        repère, identifie, demande
      `,
      change: words`
        corrige, traduis, traduire, modifie, remplace, supprime, ajoute, trie, nettoie, convertis,
        déplace, fusionne, mets, mettre, améliore, actualise, renomme, classe, regroupe, filtre,
        enlève, répare
      `,
      make: words`
        écris, écrire, crée, prépare, rédige, conçois, construis, construire, fais, faire, génère,
        dessine, élabore, planifie, développe, implémente, organise, produis, trace
      `,
      run: words`
        exécute, lance, teste, installe, déploie, mesure, publie, réserve, envoie, sauvegarde,
        redémarre, démarre, achète, appelle, restaure, commande, reproduis, reproduire, contacte
      `,
      study: ['compare', 'analyse', 'étudie', 'évalue', 'calcule', 'estime', 'examine', 'explore'],
      tell: words`
        explique, résume, dis, décris, recommande, propose, suggère, présente, montre, indique,
        donne, raconte, signale
      `,
    },
    verbForms: words`
      \p{L}{2,}ez(?:-\p{L}+)*(?!\p{L}), \p{L}{2,}(?:er|ir)(?!\p{L}),
      \p{L}{3,}e\s+(?:pourquoi|comment|si|qui|où|quand|quel\p{L}*)(?!\p{L}),
      \p{L}{2,}-(?:les?|la|moi|toi|nous|vous|leur|lui|y|en)(?!\p{L}),
      (?!(?:dans|sous|sans|mais|tous|toutes|plus|moins|très|vers|puis|alors|après|depuis|dès|chez|hors|nous|vous|ils|elles|nos|vos|des|les|ses|ces|quelques|plusieurs|envers|jamais|autres|trois|pas|parfois|suis|es|as)(?!\p{L}))\p{L}{3,}s\s+(?:l['’]|(?:les?|la|une?|des|mon|ma|mes|ton|ta|tes|ces?|cette|chaque|tous|toutes)(?!\p{L})),
      (?!(?:entre|comme|contre|même|toute|encore|une|cette|elle|quelque|presque|chaque)(?!\p{L}))\p{L}{3,}e\s+(?:l['’]|(?:les?|la|une?|des|mon|ma|mes|ton|ta|tes|ces?|cette|chaque|tous|toutes)(?!\p{L}))
    `,
    verbEnds: [],
  },
  ja: {
    common: [],
    material: ['[^。]{0,30}?(?:翻訳|訳して|比較|並べ替え|校正|言い換え|分類|要約)'],
    requestEnds: ['(?:ます|ません)か'],
    isUnspaced: true,
    first: ['まずは?', '最初に', 'はじめに', '初めに', '第一に'],
    next: words`
      次に, それから, そのあと, その後, そして, 続いて, つづいて, 最後に, [^、。]{1,16}[っいんしき]たら, 第二に, 第三に, ついで, その結果をもとに
    `,
    beside: ['同時に', '並行して', '並列で', '平行して', 'それと同時に', '一方で', 'その間に', '同時並行で'],
    and: ['また', 'あと'],
    joints: ['次に', 'それから', 'その後', '同時に', '並行して', '最後に'],
    polite: ['どうか', 'ちょっと', 'できれば', '一緒に'],
    request: [],
    question: ['なぜ', 'どうして', 'どうやって', '何', 'どの', 'いつ', '誰'],
    noRequest: words`
      (?<!くれます|もらえます|いただけます|くださいます|下さいます|くれません|もらえません|いただけません|できます)か$, とは$, でしょう$,
      ました(?:が|けど|けれど|ので|から|$), でした, [はが][^。]{0,200}(?<!お願い(?:いた)?し)ます$
    `,
    narrative: ['私は', '僕は', '私が', '昨日', '先週'],
    noCommand: [],
    past: [],
    within: ['方法'],
    finite: [],
    anyVerb: true,
    nominal: ['の(?:{verb}|[\\p{Script=Han}]{2})(?:をお願い(?:いた)?します)?'],
    pleas: ['お願い', 'ください', '下さい'],
    breaks: [
      '(?<=てから)(?!、)',
      '(?<=を[^、。を]{1,20}して)(?=[^、。]{0,20}を(?![^、。]{0,30}(?:方法|理由|手順|サイト|アプリ|関数|スクリプト|プログラム)))',
      '(?<=[\\p{Script=Han}\\p{Script=Katakana}ー]{2}して)(?=[\\p{Script=Han}\\p{Script=Katakana}ー]{2,8}して(?:ください|下さい)?[。！\\s]*$)',
    ],
    purpose: [],
    condition: ['もし'],
    step: ['ステップ', '手順'],
    verbs: {
      look: words`
        読, 調べ, 確認, 探, 検索, 集計, 取得, ダウンロード, 収集, 開, 数え, 選, 抽出
      `,
      change: words`
        修正, 直, 翻訳, 更新, 削除, 追加, 変更, 変換, 整理, 並べ替え, 置き換え, 統合
      `,
      make: ['書', '作成', '作', '設計', '実装', '開発', '描', '準備', '生成', '移行', '用意'],
      run: words`
        実行, テスト, インストール, 起動, 再起動, 送, 公開, デプロイ, 予約, 連絡, 注文, 計測, 保存, 買, 取
      `,
      study: ['比較', '調査', '分析', '計算', '評価', '検討', '研究'],
      tell: ['まとめ', '説明', '要約', '報告', '教え', '提案', '紹介', '伝え'],
    },
    verbForms: [],
    verbEnds: words`
      (?:[をにがへと]|する|して|し)?[^をにがはのとへもや、]*(?:て|で|つつ|ながら|てから|[ただ](?:後|あと)[でに]?|た上で|ください|下さい|願います|ほしい|ますか|ませんか|こと|[うくぐすつぬぶむる]|(?<=[\p{Script=Han}\p{Script=Katakana}ー]{2})し|(?<=を.{0,20})[いきしちにひみりぎじびえけせてねべめれげぜで])
    `,
  },
  ru: {
    common: [],
    material: words`
      перевед*, перевести, сравни*, отсортир*, упорядоч*, классифицир*, перефразир*, сократи*
    `,
    whole: ['всё', 'все', 'оба', 'обе', 'это'],
    anyVerb: true,
    first: ['сначала', 'во-первых', 'для начала', 'прежде всего', 'первым делом', 'сперва'],
    next: words`
      затем, потом, после (?:этого|чего), далее, дальше, во-вторых, в-третьих, наконец, в (?:самом )?конце,
      напоследок, в завершение, когда [^,]{1,30}(?:готов\p{L}*|закончишь), позже
    `,
    beside: ['одновременно', 'параллельно', 'в то же время', 'тем временем', 'заодно', 'в это же время'],
    and: ['и', 'а', 'но', 'а также', 'также'],
    joints: ['и', 'а', 'но', 'затем', 'потом', 'одновременно'],
    polite: [
      'пожалуйста',
      'теперь',
      'помоги мне',
      'нужно',
      'надо',
      'хочу, чтобы ты',
      'также',
      'ещё',
      'тебе нужно',
      'быстро',
      'внимательно',
    ],
    request: ['(?:можешь|можете|мог бы ты|не мог бы ты|могли бы вы)(?: ли)?'],
    question: words`
      что, как, почему, зачем, кто, где, како[йеваям]\p{L}*, в чём, в чем, сколько, можно ли,
      есть ли
    `,
    noRequest: [],
    narrative: ['я', 'мы', 'он', 'она', 'они', 'вчера', 'на прошлой неделе'],
    noCommand: ['не', 'спасибо'],
    past: ['(?<!\\p{L})(?:я|мы)(?!\\p{L})'],
    within: ['как \\p{L}+ть(?:ся)?'],
    finite: ['как', 'почему'],
    during: ['пока (?:ты|вы)'],
    purpose: ['чтобы', 'котор\\p{L}+'],
    condition: ['если', 'когда', 'в случае'],
    step: ['шаг'],
    verbs: {
      look: words`
        прочита*, прочти*, найди*, найти, посмотри*, проверь*, проверить, скача*, собери*, собрать,
        открой*, поищи*, изучи*, выбери*, извлеки*, загрузи*, получи*, перечисли*, узнай*, отбери*,
        просмотри*, выпиши*
      `,
      change: words`
        исправ*, перевед*, обнови*, удали*, добав*, измени*, замени*, объедини*, отсортиру*,
        очисти*, сгруппиру*, отметь*, отметить, переименуй*, убери*, преобразу*, дополни*, выдели*,
        раздели*, улучши*, почини*
      `,
      make: words`
        напиши*, написать, создай*, создать, состав*, подготов*, сделай*, разработай*, нарисуй*,
        построй*, реализуй*, спроектируй*, оформи*, спланируй*, сгенерируй*, перепиши*
      `,
      run: words`
        запусти*, протестируй*, установи*, разверни*, отправ*, опубликуй*, забронируй*,
        перезапусти*, сохрани*, восстанови*, измерь*, закажи*, купи*, позвони*, выполни*, настрой*,
        пришли*, вышли*
      `,
      study: words`
        сравни*, проанализируй*, исследуй*, оцени*, посчитай*, рассчитай*, вычисли*, разбери*,
        подсчитай*, реши*
      `,
      tell: words`
        объясни*, опиши*, расскажи*, скажи*, предложи*, посоветуй*, порекомендуй*, резюмируй*,
        обобщи*, сообщи*, укажи*, покажи*, назови*
      `,
    },
    verbForms: words`
      \p{L}{3,}(?:йте|ите|ьте|уй|ай|яй)(?:сь)?(?!\p{L}),
      (?!\p{L}*(?:сти|тели|ели|ночи|дачи|речи|мени|дни|люди|дети)(?!\p{L}))(?:в[оы]?|раз|рас|у|про|по|за|на|с|о[тб]?|пере|при|до|под|из)\p{L}{1,9}[дзмнрстлвшжчпб]и(?:сь)?(?!\p{L}),
      \p{L}{2,}(?:[аоя]вь|[её]рь|[аеуыо]жь|[уи]шь|ань)(?:те)?(?:ся)?(?!\p{L}), \p{L}{0,6}(?:крой|строй|мой)ся?(?!\p{L}),
      (?:в|вы|до|за|на|об|пере|по|под|при|про|раз|с)[лбпвш]ей(?!\p{L}),
      \p{L}{3,}(?:ать|ить|еть|ыть|уть|ять|сти|чь)(?:ся)?(?!\p{L})
    `,
    verbEnds: [],
  },
}
