/** What the system has to start: absolute, because a service has no path of its own. */
export interface Program {
  readonly node: string
  readonly command: string
  readonly log: string
  readonly env: Readonly<Record<string, string>>
}

export const SYSTEMD_NAME = 'panoptes.service'
export const LAUNCHD_LABEL = 'dev.panoptes.daemon'

/** A unit for the user's own systemd. */
export const systemdUnit = ({ node, command, env }: Program): string => `[Unit]
Description=Panoptes, which sees what AI agents do
After=network.target

[Service]
Type=exec
ExecStart=${[node, command, 'up', '--no-open'].map(systemdArgument).join(' ')}
${Object.entries(env)
  .map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`)
  .join('\n')}
Restart=on-failure
RestartSec=5
# Port or ledger in use, or a mistake in config.yaml: trying again does not help.
RestartPreventExitStatus=4 5 69

[Install]
WantedBy=default.target
`

/** A property list for the user's own launchd. */
export const launchdPlist = ({
  node,
  command,
  env,
  log,
}: Program): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${[node, command, 'up', '--no-open'].map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(env)
  .map(([name, value]) => `    <key>${name}</key>\n    <string>${xml(value)}</string>`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`

/** In quotes, with what systemd would read into it taken literally. */
const systemdWord = (word: string): string =>
  `"${word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replace(/[\n\r\t]/g, (character) => ESCAPES[character] ?? '')}"`

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Only in a command line is a dollar the beginning of a variable. */
const systemdArgument = (word: string): string => systemdWord(word).replaceAll('$', '$$$$')

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
