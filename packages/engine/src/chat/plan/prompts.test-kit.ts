/**
 * A prompt and the graph it should become.
 * A graph is written level by level: in `a > b & c > d`, b and c run in parallel after a, and d
 * runs after both. Each name is a piece of the step's label. An empty graph is one step, because
 * there is nothing to divide. The prompts at even positions of `PROMPTS` were used to make the
 * rules; those at odd positions only judge them. `FRESH_PROMPTS` were written by somebody who had
 * not seen the rules, and more than half of them ask for no steps at all.
 */
export interface Prompt {
  readonly language: 'en' | 'zh' | 'de' | 'es' | 'fr' | 'ja' | 'ru'
  readonly text: string
  readonly graph: string
}

const prompt = (language: Prompt['language'], text: string, graph: string): Prompt => ({
  language,
  text,
  graph,
})

export const PROMPTS: readonly Prompt[] = [
  // English
  prompt(
    'en',
    'Fetch the release notes, compare them with the changelog and write a summary.',
    'Fetch the release notes > compare them > write a summary',
  ),
  prompt(
    'en',
    'Download the March invoices, total them per client and email me the table.',
    'Download the March invoices > total them > email me',
  ),
  prompt(
    'en',
    'Please do three things: (1) read the crash log, (2) find the commit that caused it, (3) propose a fix.',
    'read the crash log > find the commit > propose a fix',
  ),
  prompt(
    'en',
    'For the garden party: a) draw up a guest list b) pick a caterer c) send the invitations',
    'guest list > caterer > invitations',
  ),
  prompt(
    'en',
    '1) install the package 2) add it to the config 3) restart the service',
    'install the package > add it to the config > restart',
  ),
  prompt(
    'en',
    "Can you first check whether the backup ran last night, then restore yesterday's copy to staging, and finally tell me how long it took?",
    'backup ran > restore > tell me',
  ),
  prompt('en', 'What is the difference between a mutex and a semaphore?', ''),
  prompt('en', 'How do I install Postgres, create a user and grant it access to one schema?', ''),
  prompt('en', 'Rename getUser to fetchUser everywhere.', ''),
  prompt(
    'en',
    'Translate this into French: "First we went to the market, then we cooked, and finally we slept."',
    '',
  ),
  prompt(
    'en',
    'Explain what this does:\n```sh\n1. not a step\ncurl -O x.tgz && tar xf x.tgz\nthen rm x.tgz\n```',
    '',
  ),
  prompt('en', 'I fixed the parser yesterday, then I ran the tests, and now CI is red.', ''),
  prompt(
    'en',
    'Read the spec. Then write the migration. At the same time, update the API docs. Finally open a pull request.',
    'Read the spec > write the migration & update the API docs > open a pull request',
  ),
  prompt(
    'en',
    'Research ferry times to Naxos and hotels near the port in parallel, then put together an itinerary.',
    'Research ferry times > itinerary',
  ),
  prompt(
    'en',
    'Look into these three:\n- pricing of Fly.io\n- pricing of Render\n- pricing of Railway\nThen recommend one of them.',
    'Fly.io & Render & Railway > recommend',
  ),
  prompt(
    'en',
    'Hi! We had a short outage on Sunday evening, and support got about forty tickets. The details are in the incident channel, so there is no need to repeat them here. What matters is that everything is back to normal before the Thursday meeting.\n\nTasks for today:\n1. Review the open pull requests\n2. Merge the ones that pass\n3. Tag a release',
    'Review > Merge > Tag',
  ),
  prompt(
    'en',
    'Write a function that reads a CSV file, drops empty rows and returns the mean of a column. Use Python. Keep it short.',
    '',
  ),
  prompt('en', 'Write a script to fetch the weather, parse the response and store it in SQLite.', ''),
  prompt('en', 'Compare apples, pears and quinces for jam.', ''),
  prompt(
    'en',
    'Preheat the oven, chop the onions and marinate the chicken; afterwards roast everything for 40 minutes.',
    'Preheat > chop > marinate > roast',
  ),
  prompt(
    'en',
    'Step 1: collect the survey answers. Step 2: cluster them by topic. Step 3: chart the five biggest clusters.',
    'survey answers > cluster > chart',
  ),
  prompt(
    'en',
    'My boss wrote:\n> First fix the login page.\n> Then deploy it.\nHow should I answer him politely?',
    '',
  ),
  prompt(
    'en',
    'Refactor the auth module, and while you are at it, delete the unused helpers. Once that is done, run the full test suite.',
    'Refactor > delete > run the full test suite',
  ),
  prompt(
    'en',
    'Find and fix the memory leak in worker.ts, then add a regression test.',
    'memory leak > add a regression test',
  ),
  // 中文
  prompt(
    'zh',
    '首先读取昨天的日志，然后找出报错的模块，最后写一份修复建议。',
    '读取昨天的日志 > 找出报错的模块 > 写一份修复建议',
  ),
  prompt(
    'zh',
    '请先把会议录音转成文字，再提炼出行动项，最后发邮件给大家。',
    '转成文字 > 提炼出行动项 > 发邮件',
  ),
  prompt(
    'zh',
    '帮我做三件事：（1）检查数据库连接，（2）修复超时问题，（3）补上单元测试。',
    '检查数据库连接 > 修复超时问题 > 补上单元测试',
  ),
  prompt(
    'zh',
    '请完成：1、统计上个月的销售额；2、按地区画柱状图；3、写一段结论。',
    '统计上个月的销售额 > 画柱状图 > 写一段结论',
  ),
  prompt(
    'zh',
    '第一步，下载数据集。第二步，清洗缺失值。第三步，训练一个基线模型。',
    '下载数据集 > 清洗缺失值 > 训练一个基线模型',
  ),
  prompt(
    'zh',
    '一、梳理现有接口\n二、设计新的路由\n三、编写迁移文档',
    '梳理现有接口 > 设计新的路由 > 编写迁移文档',
  ),
  prompt(
    'zh',
    '调研三家云厂商的价格，对比它们的延迟，写一份选型报告。',
    '调研三家云厂商的价格 > 对比它们的延迟 > 写一份选型报告',
  ),
  prompt('zh', '查一下去京都的机票，订好酒店，安排三天的行程。', '机票 > 酒店 > 行程'),
  prompt(
    'zh',
    '重构登录模块，同时更新接口文档，最后跑一遍全部测试。',
    '重构登录模块 & 更新接口文档 > 跑一遍全部测试',
  ),
  prompt(
    'zh',
    '翻译第三章，与此同时校对第二章，完成后把两章合并成一个文件。',
    '翻译第三章 & 校对第二章 > 合并成一个文件',
  ),
  prompt('zh', '互斥锁和信号量有什么区别？', ''),
  prompt('zh', '怎么先安装 Docker,然后配置镜像加速，最后运行一个容器？', ''),
  prompt('zh', '把 README 翻译成英文。', ''),
  prompt('zh', '帮我写一首关于秋天的诗，要押韵。', ''),
  prompt('zh', '我昨天先修了登录的问题，然后部署了新版本，最后发现监控没有数据。', ''),
  prompt('zh', '请解释“首先打开文件，然后写入数据，最后关闭文件”这句话的语法。', ''),
  prompt('zh', '解释下面的代码：\n```python\n# 首先读取\n# 然后打印\nprint(open("a").read())\n```', ''),
  prompt('zh', '阅读 config.yaml 并找出重复的键', '阅读 config.yaml > 找出重复的键'),
  prompt(
    'zh',
    '分别研究以下框架：\n- 研究 React 的状态管理\n- 研究 Vue 的状态管理\n- 研究 Svelte 的状态管理\n最后汇总成一张对比表',
    'React & Vue & Svelte > 汇总成一张对比表',
  ),
  prompt(
    'zh',
    '下周要搬家。首先列一份要打包的清单，其次联系三家搬家公司询价，接着预约时间，最后通知物业。',
    '列一份要打包的清单 > 联系三家搬家公司 > 预约时间 > 通知物业',
  ),
  prompt(
    'zh',
    '先看看磁盘还剩多少空间，如果不到10%就清理缓存，然后重启服务。',
    '磁盘还剩多少空间 > 清理缓存 > 重启服务',
  ),
  prompt('zh', '能不能帮我先汇总这周的提交记录，然后生成周报？', '汇总这周的提交记录 > 生成周报'),
  prompt(
    'zh',
    '①抓取竞品的定价页面 ②整理成表格 ③指出我们的优势',
    '抓取竞品的定价页面 > 整理成表格 > 指出我们的优势',
  ),
  prompt('zh', '实现一个读取文件、统计词频并输出结果的函数', ''),
  // Deutsch
  prompt(
    'de',
    'Lies zuerst das Protokoll, korrigiere dann den Parser und führe zum Schluss die Tests aus.',
    'Protokoll > Parser > Tests',
  ),
  prompt(
    'de',
    'Vergleiche die drei Angebote, rechne die Mehrwertsteuer heraus und schreibe eine Empfehlung.',
    'Vergleiche die drei Angebote > rechne > schreibe eine Empfehlung',
  ),
  prompt(
    'de',
    'Kannst du bitte die Rechnungen vom März herunterladen, nach Kunden sortieren und danach eine Summe pro Kunde ausgeben?',
    'herunterladen > sortieren > Summe pro Kunde',
  ),
  prompt(
    'de',
    'Bitte erledige Folgendes: 1. Backup anlegen 2. Datenbank migrieren 3. Dienst neu starten',
    'Backup anlegen > Datenbank migrieren > Dienst neu starten',
  ),
  prompt(
    'de',
    'Recherchiere Zugverbindungen nach Wien. Gleichzeitig such ein Hotel am Hauptbahnhof. Anschließend erstelle einen Reiseplan.',
    'Zugverbindungen & Hotel > Reiseplan',
  ),
  prompt(
    'de',
    'Übersetze Kapitel 2 ins Englische und prüfe parallel dazu Kapitel 1 auf Tippfehler.',
    'Kapitel 2 & Kapitel 1',
  ),
  prompt('de', 'Was ist der Unterschied zwischen einem Thread und einem Prozess?', ''),
  prompt('de', 'Wie kann ich zuerst Node installieren und dann ein Projekt anlegen?', ''),
  prompt('de', 'Schreibe eine höfliche Absage an den Lieferanten.', ''),
  prompt(
    'de',
    'Ich habe gestern die Logs gelesen und dann den Server neu gestartet, aber der Fehler ist noch da.',
    '',
  ),
  prompt('de', 'Erkläre den Satz „Erst lesen, dann schreiben, zuletzt prüfen“.', ''),
  prompt(
    'de',
    'Heute ansehen:\n- Build-Zeiten von Vite\n- Build-Zeiten von Webpack\n- Build-Zeiten von esbuild\nZum Schluss alle Ergebnisse vergleichen.',
    'Vite & Webpack & esbuild > vergleichen',
  ),
  prompt(
    'de',
    'Am Samstag kommen zwölf Gäste, und zwei davon essen kein Fleisch. Der Ofen ist klein. Ich brauche einen Ablauf für das Brot.\n\nSchritt 1: Zutaten abwiegen. Schritt 2: Teig kneten. Schritt 3: 30 Minuten ruhen lassen.',
    'Zutaten abwiegen > Teig kneten > ruhen lassen',
  ),
  prompt(
    'de',
    'Finde den Fehler in auth.ts, behebe ihn und ergänze einen Test.',
    'Finde den Fehler > behebe ihn > ergänze einen Test',
  ),
  prompt(
    'de',
    'Als Erstes die Messdaten einlesen, dann Ausreißer entfernen, am Ende das Diagramm zeichnen.',
    'Messdaten einlesen > Ausreißer entfernen > Diagramm zeichnen',
  ),
  prompt('de', 'Vergleiche Äpfel, Birnen und Quitten für Marmelade.', ''),
  // Español
  prompt(
    'es',
    'Primero lee el informe, luego extrae las cifras de ventas y por último prepara una presentación.',
    'lee el informe > extrae las cifras > prepara una presentación',
  ),
  prompt(
    'es',
    'Busca vuelos a Lima, compara los precios y reserva el más barato.',
    'Busca vuelos > compara los precios > reserva',
  ),
  prompt(
    'es',
    '¿Puedes revisar el contrato, marcar las cláusulas dudosas y después redactar una respuesta?',
    'revisar el contrato > marcar > redactar',
  ),
  prompt(
    'es',
    'Necesito que hagas esto: a) limpiar los datos b) entrenar el modelo c) medir la precisión',
    'limpiar los datos > entrenar el modelo > medir',
  ),
  prompt(
    'es',
    'Traduce el folleto al inglés. Al mismo tiempo, actualiza la página web. Después publica ambas cosas.',
    'Traduce el folleto & actualiza la página > publica',
  ),
  prompt(
    'es',
    'Analiza los registros del servidor y, mientras tanto, comprueba el uso de disco.',
    'registros del servidor & uso de disco',
  ),
  prompt('es', '¿Cuál es la diferencia entre HTTP y HTTPS?', ''),
  prompt('es', '¿Cómo instalo Python, creo un entorno virtual y ejecuto un script?', ''),
  prompt('es', 'Escribe un poema sobre el mar.', ''),
  prompt('es', 'Ayer leí el código y luego arreglé el error, pero sigue fallando.', ''),
  prompt(
    'es',
    '1. Revisar el presupuesto\n2. Corregir los errores\n3. Enviar la versión final',
    'Revisar el presupuesto > Corregir > Enviar',
  ),
  prompt('es', 'Explica la frase «primero come y luego habla».', ''),
  prompt(
    'es',
    'Descarga el conjunto de datos, elimina los duplicados y grafica la distribución por edad.',
    'Descarga > elimina los duplicados > grafica',
  ),
  prompt(
    'es',
    'Paso 1: hervir la pasta. Paso 2: preparar la salsa. Paso 3: mezclar y servir.',
    'hervir la pasta > preparar la salsa > mezclar y servir',
  ),
  // Français
  prompt(
    'fr',
    "D'abord, lis le rapport, ensuite relève les chiffres clés et enfin rédige une synthèse.",
    'lis le rapport > relève les chiffres > rédige une synthèse',
  ),
  prompt(
    'fr',
    'Télécharge les factures, classe-les par client et envoie-moi le total.',
    'Télécharge les factures > classe-les > envoie-moi',
  ),
  prompt(
    'fr',
    'Peux-tu vérifier la sauvegarde, puis restaurer la base sur le serveur de test ?',
    'vérifier la sauvegarde > restaurer la base',
  ),
  prompt(
    'fr',
    'Merci de : (a) relire le chapitre 3, (b) corriger les fautes, (c) proposer un titre.',
    'relire le chapitre 3 > corriger les fautes > proposer un titre',
  ),
  prompt(
    'fr',
    'Compare les offres des trois opérateurs. En parallèle, calcule notre consommation moyenne. Ensuite, recommande un forfait.',
    'Compare les offres & calcule notre consommation > recommande',
  ),
  prompt(
    'fr',
    'Traduisez le guide en anglais et, en même temps, mettez à jour les captures d’écran.',
    'Traduisez le guide & captures',
  ),
  prompt('fr', 'Quelle est la différence entre TCP et UDP ?', ''),
  prompt('fr', 'Comment installer Nginx, configurer un certificat et rediriger le trafic ?', ''),
  prompt('fr', 'Résume cet article en cinq phrases.', ''),
  prompt('fr', "Hier j'ai lu les journaux, puis j'ai corrigé le bug, et maintenant tout est lent.", ''),
  prompt(
    'fr',
    '1. Ouvrir un ticket\n2. Reproduire le bug\n3. Écrire un test',
    'Ouvrir un ticket > Reproduire le bug > Écrire un test',
  ),
  prompt('fr', 'Explique la phrase « lis d’abord, puis écris ».', ''),
  prompt(
    'fr',
    'Le comité se réunit vendredi et la direction veut des faits, pas des impressions. Les fichiers sont dans le dossier partagé. Analyse les avis clients, regroupe-les par thème et écris trois recommandations.',
    'Analyse les avis > regroupe-les > écris trois recommandations',
  ),
  prompt(
    'fr',
    'Étape 1 : peser la farine. Étape 2 : pétrir la pâte. Étape 3 : laisser reposer une heure.',
    'peser la farine > pétrir la pâte > laisser reposer',
  ),
  // 日本語
  prompt(
    'ja',
    'まずログを読んで、次に原因を調べて、最後に修正案を書いてください。',
    'ログを読 > 原因を調べ > 修正案を書',
  ),
  prompt(
    'ja',
    '売上データを集計し、グラフを作成して、レポートにまとめてください。',
    '集計 > グラフを作成 > まとめ',
  ),
  prompt(
    'ja',
    '次の作業をお願いします。1. 依存関係を更新する 2. テストを実行する 3. 結果を報告する',
    '依存関係を更新 > テストを実行 > 結果を報告',
  ),
  prompt(
    'ja',
    '(1)会場を探す、(2)見積もりを取る、(3)参加者に連絡する',
    '会場を探す > 見積もりを取る > 参加者に連絡',
  ),
  prompt(
    'ja',
    '第2章を翻訳してください。同時に、第1章の誤字を確認してください。その後、両方を一つのファイルにまとめてください。',
    '第2章を翻訳 & 第1章の誤字 > 一つのファイル',
  ),
  prompt('ja', '競合の価格を調べつつ、並行して自社のコストを計算してください。', '競合の価格 & 自社のコスト'),
  prompt('ja', 'スレッドとプロセスの違いは何ですか？', ''),
  prompt('ja', 'Dockerをインストールして、コンテナを起動するにはどうすればいいですか？', ''),
  prompt('ja', 'この文章を英語に翻訳してください。', ''),
  prompt('ja', '昨日ログを読んで、パーサーを修正しましたが、まだエラーが出ます。', ''),
  prompt(
    'ja',
    'バックアップを取ってから、データベースを移行していただけますか？',
    'バックアップを取 > データベースを移行',
  ),
  prompt('ja', '「まず読んで、次に書く」という文を説明してください。', ''),
  prompt(
    'ja',
    'はじめに材料を量り、それから生地をこねて、最後に三十分休ませてください。',
    '材料を量 > 生地をこね > 休ませ',
  ),
  prompt(
    'ja',
    '・Reactの状態管理を調査する\n・Vueの状態管理を調査する\n最後に結果を比較する',
    'React & Vue > 結果を比較',
  ),
  // Русский
  prompt(
    'ru',
    'Сначала прочитай журнал ошибок, затем исправь парсер и в конце запусти тесты.',
    'прочитай журнал > исправь парсер > запусти тесты',
  ),
  prompt(
    'ru',
    'Найди рейсы в Стамбул, сравни цены и составь план поездки на три дня.',
    'Найди рейсы > сравни цены > составь план',
  ),
  prompt(
    'ru',
    'Сделай следующее: (1) скачай отчёты, (2) посчитай сумму по клиентам, (3) отправь мне таблицу.',
    'скачай отчёты > посчитай сумму > отправь мне таблицу',
  ),
  prompt(
    'ru',
    'Пожалуйста: а) проверь договор б) отметь спорные пункты в) подготовь ответ',
    'проверь договор > отметь спорные пункты > подготовь ответ',
  ),
  prompt(
    'ru',
    'Переведи вторую главу. Одновременно проверь первую на опечатки. Потом объедини обе в один файл.',
    'Переведи вторую главу & проверь первую > объедини',
  ),
  prompt(
    'ru',
    'Обнови зависимости, а параллельно напиши документацию к API.',
    'Обнови зависимости & напиши документацию',
  ),
  prompt('ru', 'В чём разница между потоком и процессом?', ''),
  prompt('ru', 'Как установить Docker, настроить сеть и запустить контейнер?', ''),
  prompt('ru', 'Напиши вежливый отказ поставщику.', ''),
  prompt('ru', 'Вчера я прочитал логи, потом исправил ошибку, но сервер всё равно падает.', ''),
  prompt(
    'ru',
    'Можешь сначала проверить резервную копию, а потом восстановить базу на тестовом сервере?',
    'проверить резервную копию > восстановить базу',
  ),
  prompt('ru', 'Объясни фразу «сначала читай, потом пиши».', ''),
  prompt(
    'ru',
    'Шаг 1: взвесить муку. Шаг 2: замесить тесто. Шаг 3: дать постоять полчаса.',
    'взвесить муку > замесить тесто > постоять',
  ),
  prompt(
    'ru',
    'В понедельник у нас встреча с руководством, и цифры за прошлый квартал им не понравились. Времени мало. Собери отзывы клиентов, сгруппируй их по темам и выдели три главные проблемы.',
    'Собери отзывы > сгруппируй > выдели',
  ),
]

export const FRESH_PROMPTS: readonly Prompt[] = [
  prompt(
    'zh',
    '首先把 src/parser 里的单元测试跑一遍，然后修掉失败的用例，最后更新 CHANGELOG。',
    '单元测试 > 失败 > CHANGELOG',
  ),
  prompt(
    'zh',
    '一、梳理现有的登录流程；二、设计新的 token 刷新方案；三、写迁移脚本并在测试环境验证。',
    '登录流程 > token > 迁移脚本',
  ),
  prompt(
    'zh',
    '第一步，备份生产数据库。第二步，执行迁移脚本。第三步，核对行数是否一致。',
    '备份 > 迁移 > 核对',
  ),
  prompt('zh', '①拉取最新代码 ②编译前端 ③部署到预发环境 ④跑一遍冒烟测试', '拉取 > 编译 > 部署 > 冒烟'),
  prompt('zh', '先分析日志找出慢查询，再给相关字段加索引，之后重新压测一次。', '日志 > 索引 > 压测'),
  prompt(
    'zh',
    '请并行完成以下三件事：\n- 翻译 README 成英文\n- 给 API 补充 OpenAPI 文档\n- 清理没用到的依赖\n完成之后，汇总成一个 PR 描述。',
    'README & OpenAPI & 依赖 > 汇总',
  ),
  prompt('zh', '1、调研三家竞品的定价；2、整理成对比表；3、给出我们的定价建议', '竞品 > 对比表 > 建议'),
  prompt('zh', '你帮我看看这个报错是什么意思？先前也出现过，后来重启就好了。', ''),
  prompt(
    'zh',
    '写一个爬虫抓取豆瓣 Top250 的电影，同时写一个脚本统计评分分布，两个都弄完后画一张图。',
    '爬虫 & 脚本 > 图',
  ),
  prompt(
    'zh',
    '首先感谢大家的支持，然后我想说今年真的不容易，最后祝大家新年快乐。帮我把这句话翻译成英文。',
    '',
  ),
  prompt('zh', 'Python 3.12 和 3.13 有什么区别？2024 年 10 月发布的是哪一个？', ''),
  prompt('zh', '把用户表里的手机号脱敏；导出成 CSV；上传到 OSS。', '脱敏 > CSV > OSS'),
  prompt('zh', '我们公司有三个部门：一、研发部；二、市场部；三、财务部。请问哪个部门最适合用这个工具？', ''),
  prompt('zh', '（1）读取 config.yaml（2）校验必填字段（3）缺失的字段用默认值补全', '读取 > 校验 > 补全'),
  prompt('zh', '先不要改代码，告诉我为什么登录会超时。', ''),
  prompt('zh', '下面这段日志说明了什么？\n```\n1. connect to db\n2. retry\n3. failed\n```', ''),
  prompt(
    'zh',
    '接下来请你先重构 utils 目录，重构完以后跑一下 lint，没问题的话就提交。',
    '重构 > lint > 提交',
  ),
  prompt('zh', '昨天我先去了超市，然后回家做饭，最后看了一部电影。', ''),
  prompt(
    'zh',
    '任务：\n第一，写出排序函数；\n第二，为它写基准测试；\n第三，根据结果优化；\n第四，写一篇总结博客。',
    '排序 > 基准 > 优化 > 博客',
  ),
  prompt('zh', '“首先安装依赖，然后运行构建”这句话放在文档里合适吗？', ''),
  prompt('zh', '苹果、香蕉、橙子、葡萄哪个维生素 C 最多？', ''),
  prompt(
    'en',
    'Please (1) reproduce the crash from issue 412, (2) write a failing test for it and (3) fix the parser.',
    'reproduce > failing test > fix',
  ),
  prompt(
    'en',
    'a) pull the sales figures for Q3, b) chart them by region, c) email the chart to finance',
    'pull > chart > email',
  ),
  prompt(
    'en',
    'In parallel, benchmark the Redis cache and profile the HTTP handler. Once that is done, write up which one is the bottleneck.',
    'benchmark & profile > write up',
  ),
  prompt(
    'en',
    'Clone the repo, install the dependencies, run the test suite, and report every failure.',
    'Clone > install > run > report',
  ),
  prompt(
    'en',
    '- Rename the module to `billing`\n- Update all imports\n- Run tsc and fix what breaks',
    'Rename & imports & tsc',
  ),
  prompt(
    'en',
    'Draft the release notes. Meanwhile, bump the version in package.json. After both are finished, tag the release.',
    'Draft & bump > tag',
  ),
  prompt('en', 'Why does npm 10.2.4 install slower than 9.8.1, and did it change on 2023-10-01?', ''),
  prompt(
    'en',
    'We went to Lisbon, rented a car, drove to Porto, and then flew home. What should I write on the postcard?',
    '',
  ),
  prompt('en', 'My shopping list:\n- apples\n- oat milk\n- two lemons\nWhich of these keep for a week?', ''),
  prompt('en', 'The error says "first start the daemon, then run the client". What does it mean?', ''),
  prompt(
    'de',
    'Lies zuerst die Logdateien ein, suche danach nach Fehlern mit Status 500 und schreib zum Schluss eine kurze Zusammenfassung.',
    'Log > 500 > Zusammenfassung',
  ),
  prompt(
    'de',
    '1. Datenbank sichern\n2. Migration ausführen\n3. Ergebnis prüfen',
    'sichern > ausführen > prüfen',
  ),
  prompt(
    'de',
    'Aktualisiere die Abhängigkeiten, lass die Tests laufen und öffne einen Pull Request.',
    'Abhängigkeiten > Tests > Pull Request',
  ),
  prompt(
    'de',
    'Was ist der Unterschied zwischen Node 20.11 und 22.3, und welche Version kam am 24.04.2024 heraus?',
    '',
  ),
  prompt(
    'de',
    'Zuerst war ich in Berlin, dann in Hamburg und am Ende in Köln. Welche Stadt hat die meisten Einwohner?',
    '',
  ),
  prompt('de', 'Kannst du mir erklären, warum erst der Compiler läuft und dann der Linker?', ''),
  prompt(
    'es',
    'Primero revisa el contrato, luego resume las cláusulas de rescisión y por último redacta un correo para el cliente.',
    'contrato > cláusulas > correo',
  ),
  prompt(
    'es',
    '1) Descarga el dataset de ventas 2) Limpia las filas vacías 3) Entrena un modelo de regresión',
    'Descarga > Limpia > Entrena',
  ),
  prompt(
    'es',
    'Traduce el README al inglés y, al mismo tiempo, actualiza el diagrama de arquitectura. Cuando termines las dos cosas, publica la documentación.',
    'Traduce & diagrama > publica',
  ),
  prompt(
    'es',
    'Abre el archivo config.json, cambia el puerto a 8080, reinicia el servicio y comprueba que responde.',
    'Abre > cambia > reinicia > comprueba',
  ),
  prompt(
    'es',
    'En primer lugar, crea la rama; a continuación, aplica el parche; finalmente, haz el merge.',
    'rama > parche > merge',
  ),
  prompt('es', '¿Por qué la versión 2.1.3 falla el 12/05/2024 y la 2.1.4 no?', ''),
  prompt('es', 'Ayer primero fui al banco, luego comí con Ana y al final perdí el tren.', ''),
  prompt('es', 'Me gustan las manzanas, las peras, los plátanos y las uvas.', ''),
  prompt(
    'fr',
    "D'abord, récupère les données météo de Lyon, ensuite calcule la moyenne mensuelle, et enfin trace un graphique.",
    'météo > moyenne > graphique',
  ),
  prompt(
    'fr',
    'Étape 1 : installe Docker. Étape 2 : lance le conteneur Postgres. Étape 3 : charge le dump.',
    'Docker > Postgres > dump',
  ),
  prompt(
    'fr',
    'Rédige la fiche produit et, en parallèle, prépare les visuels. Une fois que tout est prêt, publie la page.',
    'fiche & visuels > publie',
  ),
  prompt(
    'fr',
    'Corrige les fautes du texte, raccourcis-le à 200 mots et propose trois titres.',
    'Corrige > raccourcis > titres',
  ),
  prompt(
    'fr',
    '- analyser les journaux d’erreurs\n- proposer un correctif\n- écrire un test de non-régression',
    'journaux & correctif & non-régression',
  ),
  prompt('fr', 'Quelle est la différence entre Python 3.11.4 et 3.12.0 ?', ''),
  prompt(
    'fr',
    "Hier, j'ai d'abord nettoyé la cuisine, puis j'ai fait les courses. Est-ce que c'est beaucoup pour un dimanche ?",
    '',
  ),
  prompt(
    'fr',
    'Le manuel dit « ouvrez le capot, puis débranchez la batterie ». Est-ce que c’est dangereux ?',
    '',
  ),
  prompt(
    'ja',
    'まずログを確認して、次に原因を特定し、最後に修正パッチを作成してください。',
    'ログ > 原因 > パッチ',
  ),
  prompt(
    'ja',
    '1. 依存関係を更新する\n2. テストを実行する\n3. 結果をSlackに報告する',
    '依存 > テスト > 報告',
  ),
  prompt(
    'ja',
    '①データベースのバックアップを取る ②スキーマを変更する ③動作確認をする',
    'バックアップ > スキーマ > 動作確認',
  ),
  prompt(
    'ja',
    'はじめに要件を整理してください。その後、設計書を書いてください。それが終わったら、レビュー依頼を出してください。',
    '要件 > 設計書 > レビュー',
  ),
  prompt('ja', 'Node.js 20.11.1と22.0.0の違いは何ですか？', ''),
  prompt('ja', '昨日はまず渋谷に行って、次に映画を見て、最後にラーメンを食べました。', ''),
  prompt('ja', 'りんご、みかん、バナナ、ぶどうの中で一番安いのはどれ？', ''),
  prompt(
    'ru',
    'Сначала проверь логи nginx, затем найди медленные запросы, а потом предложи индексы для базы.',
    'логи > запросы > индексы',
  ),
  prompt(
    'ru',
    '1) скачай отчёт за май; 2) посчитай средний чек; 3) построй график по неделям',
    'скачай > посчитай > построй',
  ),
  prompt(
    'ru',
    'Параллельно напиши тесты для модуля оплаты и обнови документацию. Когда всё будет готово, создай pull request.',
    'тесты & документацию > pull request',
  ),
  prompt(
    'ru',
    'Открой файл main.py, исправь импорт, запусти тесты и сделай коммит.',
    'main.py > импорт > запусти > коммит',
  ),
  prompt(
    'ru',
    'Во-первых, собери требования. Во-вторых, нарисуй схему. В-третьих, оцени сроки.',
    'требования > схему > сроки',
  ),
  prompt('ru', 'Чем версия 3.12.1 отличается от 3.11.7 и когда она вышла, 07.12.2023?', ''),
  prompt('ru', 'Вчера я сначала сходил в магазин, потом приготовил ужин, а затем лёг спать.', ''),
  prompt('ru', 'Что значит фраза «сначала остановите сервис, затем удалите кэш» в документации?', ''),
  prompt('zh', '先把测试环境的数据清空，再导入新的种子数据，最后截图发给我。', '清空 > 导入 > 截图'),
  prompt('zh', '步骤一：下载安装包；步骤二：校验签名；步骤三：解压到 /opt。', '下载 > 校验 > 解压'),
  prompt('zh', '1. 检查证书有效期 2. 续签快过期的证书 3. 重启 nginx', '检查 > 续签 > 重启'),
  prompt('zh', '分析这三个文件的差异，然后告诉我哪个是最新的。', '差异 > 最新'),
  prompt('zh', '团队成员：\n- 设计师小王\n- 测试工程师小李\n- 开发小张\n谁负责写文档？', ''),
  prompt('zh', '他先提交了代码，接着部署失败了，最后回滚了，这说明什么？', ''),
  prompt('zh', '第二步为什么会报错？', ''),
  prompt('zh', '最后的结果和之前的一样，同时内存占用也没有变化。', ''),
  prompt('zh', '我们的发布流程是：首先合并分支，然后打标签，最后部署。这个流程合理吗？', ''),
  prompt('zh', '版本 1.2.3、1.2.4、2.0.0 之间有什么不兼容的改动？', ''),
  prompt('zh', '写一篇文章，介绍如何先备份再升级数据库。', ''),
  prompt(
    'en',
    'Check the disk usage on both servers; if one is above 90%, delete old logs; then restart the cron service.',
    'Check > delete > restart',
  ),
  prompt(
    'en',
    'Step one: export the users. Step two: hash the emails. Step three: import them into staging.',
    'export > hash > import',
  ),
  prompt(
    'en',
    'Can you look up the bus times to Malvern and then write me a short note with them?',
    'look up > write',
  ),
  prompt(
    'en',
    '1. Add dark mode to the settings page\n2. Persist the choice in localStorage\n3. Write a test for it',
    'dark mode > Persist > test',
  ),
  prompt(
    'en',
    'Attendees: Anna, Mark, Luis, and Priya. Location: room 4. What time zone should the invite use?',
    '',
  ),
  prompt(
    'en',
    'Our onboarding doc says:\n1. Install Node\n2. Clone the repo\n3. Run make\nWhich of these steps is outdated?',
    '',
  ),
  prompt(
    'en',
    'The build first compiles the sources, then runs the linter, and finally uploads the artifact. Why does it take 12 minutes?',
    '',
  ),
  prompt('en', 'After lunch, the server crashed, the backup failed, and nobody noticed.', ''),
  prompt('en', 'Give me a recipe with flour, eggs, milk and sugar.', ''),
  prompt('en', 'diff:\n- const a = 1\n- const b = 2\n+ const a = 3\nWhy was this changed?', ''),
  prompt(
    'de',
    'Prüfe die Rechnung, überweise den Betrag und leg die Quittung ab.',
    'Prüfe > überweise > Quittung',
  ),
  prompt(
    'de',
    'Erstens: Server stoppen. Zweitens: Backup einspielen. Drittens: Server starten.',
    'stoppen > einspielen > starten',
  ),
  prompt('de', 'Zutaten:\n- Mehl\n- Eier\n- Butter\nWas kann ich damit backen?', ''),
  prompt(
    'de',
    'Der Prozess liest zuerst die Konfiguration, öffnet dann den Port und wartet schließlich auf Anfragen.',
    '',
  ),
  prompt('de', 'Mein Vorgehen war: erst testen, dann deployen. War das falsch?', ''),
  prompt('de', 'Version 3.2 kam am 1. März, Version 3.3 am 15. April und Version 4 am 2. Mai.', ''),
  prompt(
    'es',
    'Busca tres recetas de paella, elige la más sencilla y escribe la lista de la compra.',
    'Busca > elige > escribe',
  ),
  prompt(
    'es',
    'Paso 1: instala las dependencias. Paso 2: configura las variables. Paso 3: arranca el servidor.',
    'instala > configura > arranca',
  ),
  prompt(
    'es',
    'El script primero lee el archivo, después filtra las líneas y al final guarda el resultado. ¿Está bien así?',
    '',
  ),
  prompt('es', 'Participantes:\n- Ana\n- Luis\n- Marta\n¿Quién falta?', ''),
  prompt('es', 'Traduce al inglés: "primero abre la puerta, luego entra".', ''),
  prompt(
    'fr',
    'Vérifie les liens du site, corrige ceux qui sont cassés puis envoie-moi la liste.',
    'Vérifie > corrige > envoie',
  ),
  prompt(
    'fr',
    '1. Mettre à jour les dépendances\n2. Lancer les tests\n3. Déployer en préproduction',
    'dépendances > tests > Déployer',
  ),
  prompt(
    'fr',
    'Le programme lit d’abord le fichier, puis trie les lignes et enfin affiche le total. Pourquoi est-il lent ?',
    '',
  ),
  prompt('fr', 'Courses :\n- pain\n- beurre\n- poivre\nCombien ça coûte environ ?', ''),
  prompt('fr', 'Il pleuvait, le train était en retard et nous avons fini par rentrer à pied.', ''),
  prompt(
    'ja',
    'まず仕様書を読み、次にテストケースを書き、最後に実装してください。',
    '仕様書 > テストケース > 実装',
  ),
  prompt(
    'ja',
    '以下をお願いします。\n1. ログを収集する\n2. エラーを分類する\n3. 報告書を作成する',
    'ログ > エラー > 報告書',
  ),
  prompt(
    'ja',
    'このプログラムはまずファイルを読み込み、次に並べ替え、最後に出力します。なぜ遅いのですか？',
    '',
  ),
  prompt('ja', '参加者：\n・田中\n・鈴木\n・佐藤\n会議は何時が良いですか？', ''),
  prompt('ja', '手順書には「1. 電源を切る 2. ケーブルを抜く」と書いてあります。どういう意味ですか？', ''),
  prompt(
    'ru',
    'Сначала сделай резервную копию, потом обнови сервер и в конце пришли отчёт.',
    'копию > обнови > отчёт',
  ),
  prompt('ru', '1. Собрать данные\n2. Обучить модель\n3. Написать отчёт', 'Собрать > Обучить > Написать'),
  prompt(
    'ru',
    'Программа сначала читает файл, затем сортирует строки и в конце выводит сумму. Почему она медленная?',
    '',
  ),
  prompt('ru', 'Список покупок:\n- хлеб\n- молоко\n- сыр\nСколько это стоит?', ''),
  prompt('ru', 'Переведи на английский: «Сначала мы приехали, потом поели».', ''),
  prompt('en', 'The agenda:\n1. Welcome\n2. Review of Q3\n3. Open questions', ''),
  prompt('en', 'User name, order number, server address', ''),
  prompt('en', 'apples from the garden, bread from the kitchen, eggs from the chicken', ''),
  prompt('en', 'Compare equations (1) and (2) in the paper.', ''),
  prompt('en', 'Translate the following:\n1. Open the door\n2. Close the window', ''),
  prompt(
    'en',
    'Traceback (most recent call last):\n  File "a.py", line 3\n    run()\nValueError: bad\nWhat is wrong?',
    '',
  ),
  prompt('zh', '最后期限是周五，请写一份周报。', ''),
  prompt('zh', '先生您好，请帮我看一下合同。', ''),
  prompt('zh', '请核对发票、订单、买家信息是否一致', ''),
  prompt('zh', '把下面的步骤翻译成英文：\n1. 打开文件\n2. 写入数据', ''),
  prompt('zh', '会议纪要：\n1. 讨论预算\n2. 确认人选\n3. 下周复盘\n帮我翻译成英文', ''),
  prompt('fr', "Tout d'abord merci pour votre aide. Corrige le parseur.", ''),
]
