/** What the system has to start: absolute, because a service has no path of its own. */
export interface Program {
  readonly node: string
  readonly command: string
  readonly home: string
  readonly log: string
}

export const SYSTEMD_NAME = 'panoptes.service'
export const LAUNCHD_LABEL = 'dev.panoptes.daemon'

/** A unit for the user's own systemd. */
export const systemdUnit = ({ node, command, home }: Program): string => `[Unit]
Description=Panoptes, which sees what AI agents do
After=network.target

[Service]
Type=exec
ExecStart=${[node, command, 'up', '--no-open'].map(systemdWord).join(' ')}
Environment=${systemdWord(`PANOPTES_HOME=${home}`)}
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
  home,
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
    <key>PANOPTES_HOME</key>
    <string>${xml(home)}</string>
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
  `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
