<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AboutPage</name>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Firstlight shows, explains and shortens the wait for a first token.</source>
        <translation>Firstlight 让首个 token 的等待看得见、说得清、短得多。</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Build</source>
        <translation>构建</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Another build</source>
        <translation>其他构建</translation>
    </message>
    <message>
        <source>cpu, vulkan, cuda or metal. The set-up builds it, tries it, and goes back if it fails.</source>
        <translation>可选 cpu、vulkan、cuda 或 metal。安装程序会构建并试运行，失败则自动退回。</translation>
    </message>
    <message>
        <source>Reporting a fault</source>
        <translation>报告问题</translation>
    </message>
    <message>
        <source>Save a diagnostics file…</source>
        <translation>保存诊断文件…</translation>
    </message>
    <message>
        <source>Versions, devices, settings without secrets, logs, and figures of past answers. No chat text, no system prompts, no titles.</source>
        <translation>包含版本、设备、不含密钥的设置、日志和以往回答的指标；不含聊天内容、系统提示词和标题。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
</context>
<context>
    <name>Advisor</name>
    <message>
        <source>{change}: the model loads again with it. The next answer shows what it brings.</source>
        <translation>{change}：模型将以此重新加载，下一次回答会显示效果。</translation>
    </message>
    <message>
        <source>The model stays loaded, and is loaded at each start.</source>
        <translation>模型将保持加载，并在每次启动时加载。</translation>
    </message>
    <message>
        <source>Old turns of this chat are summarised once the context runs short.</source>
        <translation>上下文不足时，会将此对话的较早轮次做成摘要。</translation>
    </message>
    <message>
        <source>Only what begins exactly as before is read from the cache. The system prompt, the template&apos;s options and old messages count: go back to the version before the edit, or leave them as they are.</source>
        <translation>只有开头完全一致的内容才能从缓存读取。系统提示词、模板选项和旧消息都算在内：请回到修改前的版本，或保持它们不变。</translation>
    </message>
    <message>
        <source>Please report it: Settings → About saves diagnostics, without any text of your chats.</source>
        <translation>请报告此问题：“设置 → 关于”可保存诊断文件，其中不含任何聊天内容。</translation>
    </message>
    <message>
        <source>{change}: {figures}</source>
        <translation>{change}：{figures}</translation>
    </message>
</context>
<context>
    <name>AlertsCard</name>
    <message>
        <source>Alerts</source>
        <translation>警报</translation>
    </message>
    <message>
        <source>One answer in a hundred starts after {value} (limit {limit}).</source>
        <translation>每百次回答中有一次在 {value} 后才开始（上限 {limit}）。</translation>
    </message>
    <message>
        <source>One answer in twenty takes over {value} (limit {limit}).</source>
        <translation>每二十次回答中有一次耗时超过 {value}（上限 {limit}）。</translation>
    </message>
    <message>
        <source>{value} of the requests failed (limit {limit}).</source>
        <translation>{value} 的请求失败（上限 {limit}）。</translation>
    </message>
    <message>
        <source>The GPU is only {value} busy while answering: something else is slower.</source>
        <translation>回答时 GPU 占用仅 {value}：瓶颈在别处。</translation>
    </message>
    <message>
        <source>The GPU is {value} busy and requests are waiting.</source>
        <translation>GPU 占用 {value}，且有请求在等待。</translation>
    </message>
    <message>
        <source>{value} requests have been waiting for a while.</source>
        <translation>{value} 个请求已等待一段时间。</translation>
    </message>
    <message>
        <source>{value} of the GPU&apos;s memory is in use.</source>
        <translation>显存已使用 {value}。</translation>
    </message>
</context>
<context>
    <name>Answer</name>
    <message>
        <source>Firstlight was closed before the answer was finished.</source>
        <translation>回答完成前 Firstlight 已关闭。</translation>
    </message>
    <message>
        <source>Stopped by you.</source>
        <translation>已由您停止。</translation>
    </message>
    <message>
        <source> of {n} tokens</source>
        <translation>（共 {n} 个 token）</translation>
    </message>
    <message>
        <source>The context{room} is full. Start a new chat, or let older turns slide out.</source>
        <translation>上下文{room}已满。请新建对话，或让较早的轮次移出。</translation>
    </message>
    <message>
        <source>Stopped at the limit of {n} tokens.</source>
        <translation>已达到 {n} 个 token 的上限而停止。</translation>
    </message>
    <message>
        <source>The model ended inside its reasoning.</source>
        <translation>模型在思考过程中结束了。</translation>
    </message>
</context>
<context>
    <name>ApiPage</name>
    <message>
        <source>Local API</source>
        <translation>本地 API</translation>
    </message>
    <message>
        <source>Lets other programs use your models the way they use OpenAI&apos;s: chat, completions, embeddings, the list of models, and a page of figures for Prometheus. It is there while Firstlight is open; “python -m engine serve” serves the same without a window.</source>
        <translation>让其他程序像使用 OpenAI 那样使用您的模型：对话、补全、嵌入、模型列表，以及供 Prometheus 抓取的指标页。Firstlight 打开期间可用；“python -m engine serve” 可在没有窗口时提供同样的服务。</translation>
    </message>
    <message>
        <source>Serve the API</source>
        <translation>启用 API</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>127.0.0.1 is this computer only. Any other lets the network in, and then needs a token.</source>
        <translation>127.0.0.1 仅限本机。其他地址会向网络开放，此时必须设置令牌。</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>None is asked for</source>
        <translation>不要求令牌</translation>
    </message>
    <message>
        <source>Make one</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Programs send it as Authorization: Bearer TOKEN.</source>
        <translation>程序以 Authorization: Bearer TOKEN 的形式发送。</translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message>
        <source>Start again</source>
        <translation>重新启动</translation>
    </message>
</context>
<context>
    <name>Area</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>the model sees from here</source>
        <translation>模型从这里开始可见</translation>
    </message>
</context>
<context>
    <name>AttachmentChip</name>
    <message>
        <source>Remove {name}</source>
        <translation>移除 {name}</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} 个 token</translation>
    </message>
</context>
<context>
    <name>Attachments</name>
    <message>
        <source>{n} tokens</source>
        <translation>{n} 个 token</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Tool result</source>
        <translation>工具结果</translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>The message was deleted.</source>
        <translation>消息已删除。</translation>
    </message>
    <message>
        <source>summarised</source>
        <translation>已做成摘要</translation>
    </message>
</context>
<context>
    <name>ChatExchange</name>
    <message>
        <source>Import chats from a file</source>
        <translation>从文件导入对话</translation>
    </message>
    <message>
        <source>Import chats from a folder</source>
        <translation>从文件夹导入对话</translation>
    </message>
    <message>
        <source>{n} chats, {done} of {total} read</source>
        <translation>{n} 个对话，已读取 {done}，共 {total}</translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>正在导入 {name}</translation>
    </message>
    <message>
        <source>{n} of {total} chats written</source>
        <translation>已写出 {n} 个对话，共 {total} 个</translation>
    </message>
    <message>
        <source>Exporting chats</source>
        <translation>正在导出对话</translation>
    </message>
    <message>
        <source>Exported to {file}.</source>
        <translation>已导出到 {file}。</translation>
    </message>
    <message>
        <source>The import was undone: {n} chats are gone.</source>
        <translation>已撤销导入：移除了 {n} 个对话。</translation>
    </message>
    <message>
        <source>Export chats to a file</source>
        <translation>导出对话到文件</translation>
    </message>
    <message>
        <source>Export chats to</source>
        <translation>导出对话到</translation>
    </message>
    <message>
        <source>Chats and characters (*.json *.jsonl *.zip *.png *.charx)</source>
        <translation>对话与角色 (*.json *.jsonl *.zip *.png *.charx)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>ChatListModel</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>最近 7 天</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>最近 30 天</translation>
    </message>
    <message>
        <source>Older</source>
        <translation>更早</translation>
    </message>
</context>
<context>
    <name>ChatMenu</name>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>Rename chat</source>
        <translation>重命名对话</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
    <message>
        <source>JSON, complete (*.json)</source>
        <translation>JSON，完整 (*.json)</translation>
    </message>
    <message>
        <source>Export chat</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>What the model is told before everything else in this chat:</source>
        <translation>在此对话中最先告诉模型的内容：</translation>
    </message>
    <message>
        <source>Summary of earlier turns</source>
        <translation>较早轮次的摘要</translation>
    </message>
    <message>
        <source>What the model sees instead of the turns above the mark:</source>
        <translation>模型看到的是以下摘要，而不是标记以上的轮次：</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>System prompt…</source>
        <translation>系统提示词…</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>上下文已满时</translation>
    </message>
    <message>
        <source>Summary of earlier turns…</source>
        <translation>较早轮次的摘要…</translation>
    </message>
    <message>
        <source>What the model sees…</source>
        <translation>模型看到的内容…</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>配色</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>舍弃最早的轮次</translation>
    </message>
    <message>
        <source>Summarise the oldest turns</source>
        <translation>将最早的轮次做成摘要</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Rename folder</source>
        <translation>重命名文件夹</translation>
    </message>
    <message>
        <source>Exported to {file}.</source>
        <translation>已导出到 {file}。</translation>
    </message>
    <message>
        <source>What the model sees: {n} tokens</source>
        <translation>模型看到的内容：{n} 个 token</translation>
    </message>
    <message>
        <source>The prompt, exactly as the model gets it</source>
        <translation>模型实际收到的提示词原文</translation>
    </message>
</context>
<context>
    <name>ChatOrganizer</name>
    <message>
        <source>The chat was archived.</source>
        <translation>对话已归档。</translation>
    </message>
    <message>
        <source>The folder “{name}” was deleted.</source>
        <translation>文件夹“{name}”已删除。</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>“{title}” was deleted.</source>
        <translation>“{title}”已删除。</translation>
    </message>
</context>
<context>
    <name>CodeLayout</name>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>CompareDialog</name>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Side {name}</source>
        <translation>{name} 组</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>ITL P50</source>
        <translation>ITL P50</translation>
    </message>
    <message>
        <source>ITL P99</source>
        <translation>ITL P99</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Decode, tok/s</source>
        <translation>解码，tok/s</translation>
    </message>
    <message>
        <source>Prefill, tok/s</source>
        <translation>预填充，tok/s</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>tried: {name} ({count} answers)</source>
        <translation>试验：{name}（{count} 次回答）</translation>
    </message>
    <message>
        <source>{name} ({count} answers)</source>
        <translation>{name}（{count} 次回答）</translation>
    </message>
    <message>
        <source>{time}: {tokens} tokens, {model}</source>
        <translation>{time}：{tokens} 个 token，{model}</translation>
    </message>
    <message>
        <source>Choose two different sides that have answers.</source>
        <translation>请选择两组不同且有回答的数据。</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 区间</translation>
    </message>
    <message>
        <source>Medians of {a} and {b} answers. The interval is a bootstrap of 2,000 resamples.</source>
        <translation>{a} 次与 {b} 次回答的中位数。区间由 2,000 次自助重采样得出。</translation>
    </message>
    <message>
        <source>under {n} runs: no verdict</source>
        <translation>不足 {n} 次：不下结论</translation>
    </message>
    <message>
        <source>within the noise</source>
        <translation>在噪声范围内</translation>
    </message>
    <message>
        <source>better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>更差</translation>
    </message>
</context>
<context>
    <name>Comparison</name>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Done: the figures are above. The model has its own settings again.</source>
        <translation>完成：数据见上方。模型已恢复原来的设置。</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Write a message</source>
        <translation>输入消息</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>附件</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>{used} of {room}</source>
        <translation>{used} / {room}</translation>
    </message>
    <message>
        <source> · prepared {n}</source>
        <translation> · 已预备 {n}</translation>
    </message>
    <message>
        <source> · too long</source>
        <translation> · 过长</translation>
    </message>
    <message>
        <source>Tokens: {text}</source>
        <translation>Token：{text}</translation>
    </message>
    <message>
        <source>Tokens of the next prompt, the room in the context, and how many are prefilled while you type.</source>
        <translation>下一次提示的 token 数、上下文容量，以及在您输入时已预填充的数量。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter breaks the line</source>
        <translation>Enter 发送，Shift+Enter 换行</translation>
    </message>
    <message>
        <source>Shift+Enter sends, Enter breaks the line</source>
        <translation>Shift+Enter 发送，Enter 换行</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>停止回答 (Esc)</translation>
    </message>
</context>
<context>
    <name>DataPage</name>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>All of it lies on this computer. Nothing is sent anywhere.</source>
        <translation>全部数据都在本机，不会发送到任何地方。</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>From Firstlight, ChatGPT, Claude, LM Studio, Jan, Open WebUI, SillyTavern, and lists of messages. A file can also be dropped onto the list of chats.</source>
        <translation>支持 Firstlight、ChatGPT、Claude、LM Studio、Jan、Open WebUI、SillyTavern 以及消息列表。也可以把文件拖到对话列表上。</translation>
    </message>
    <message>
        <source>A file…</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>A folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>As Markdown, HTML, PDF, or JSON, which holds everything, branches and figures included.</source>
        <translation>可导出为 Markdown、HTML、PDF，或包含分支与指标等全部内容的 JSON。</translation>
    </message>
    <message>
        <source>Export chats…</source>
        <translation>导出对话…</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>A copy of the database as it is now; chats go on meanwhile.</source>
        <translation>数据库当前状态的副本；备份期间可继续对话。</translation>
    </message>
    <message>
        <source>Back up…</source>
        <translation>备份…</translation>
    </message>
    <message>
        <source>KV snapshots</source>
        <translation>KV 快照</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Clear the KV snapshots</source>
        <translation>清除 KV 快照</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>磁盘占用</translation>
    </message>
    <message>
        <source>Without them, opening an old chat costs one prefill again.</source>
        <translation>没有快照时，打开旧对话需要重新预填充一次。</translation>
    </message>
    <message>
        <source>Where things lie</source>
        <translation>存放位置</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Show the folder of: {place}</source>
        <translation>打开所在文件夹：{place}</translation>
    </message>
</context>
<context>
    <name>DownloadsPage</name>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Nothing is being downloaded.</source>
        <translation>没有正在进行的下载。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>{rate}/s</source>
        <translation>{rate}/s</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>downloading</source>
        <translation>下载中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>verifying</source>
        <translation>校验中</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>Editor</name>
    <message>
        <source>Message text</source>
        <translation>消息内容</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export chats</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Markdown, one file for each chat</source>
        <translation>Markdown，每个对话一个文件</translation>
    </message>
    <message>
        <source>Web page, one file for each chat</source>
        <translation>网页，每个对话一个文件</translation>
    </message>
    <message>
        <source>PDF, one file for each chat</source>
        <translation>PDF，每个对话一个文件</translation>
    </message>
    <message>
        <source>JSON with everything, to be imported again</source>
        <translation>JSON，包含全部内容，可再次导入</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>None</source>
        <translation>全不选</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>{n} of {total}</source>
        <translation>{n} / {total}</translation>
    </message>
</context>
<context>
    <name>FactsCard</name>
    <message>
        <source>Last answer</source>
        <translation>最近一次回答</translation>
    </message>
    <message>
        <source>the measured limit</source>
        <translation>实测上限</translation>
    </message>
    <message>
        <source>Memory bandwidth: {share} % of {limit}</source>
        <translation>内存带宽：{limit} 的 {share} %</translation>
    </message>
    <message>
        <source>Cache: {cached} of {total} prompt tokens ({source})</source>
        <translation>缓存：提示 token {cached} / {total}（{source}）</translation>
    </message>
    <message>
        <source>nothing to reuse</source>
        <translation>无可复用</translation>
    </message>
    <message>
        <source>still in place</source>
        <translation>仍在缓存中</translation>
    </message>
    <message>
        <source>snapshot in memory</source>
        <translation>内存快照</translation>
    </message>
    <message>
        <source>snapshot on disk</source>
        <translation>磁盘快照</translation>
    </message>
    <message>
        <source>Not cached: {reason}</source>
        <translation>未命中缓存：{reason}</translation>
    </message>
    <message>
        <source>Prefill: {rate} tok/s</source>
        <translation>预填充：{rate} tok/s</translation>
    </message>
    <message>
        <source>Drafts: {accepted} of {drafted} accepted ({share} %)</source>
        <translation>草稿：接受 {accepted} / {drafted}（{share} %）</translation>
    </message>
    <message>
        <source>Shared each step with {n:.1f} answers</source>
        <translation>每步与 {n:.1f} 个回答共享</translation>
    </message>
    <message>
        <source>Waiting in the queue: {n}</source>
        <translation>排队等待：{n}</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{n} ms</source>
        <translation>{n} 毫秒</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <source>{m} min {s} s</source>
        <translation>{m} 分 {s} 秒</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>Decode speed: tokens after the first, divided by the time from the first to the last.</source>
        <translation>解码速度：首个之后的 token 数除以从首个到最后一个的时间。</translation>
    </message>
    <message>
        <source>Time to first token: from Enter to the first painted glyph, where it was measured here.</source>
        <translation>首 token 时间：从按下 Enter 到画出第一个字形，在本机测得时如此。</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>{n} token</source>
        <translation>{n} 个 token</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} 个 token</translation>
    </message>
    <message>
        <source>Tokens that the model wrote.</source>
        <translation>模型写出的 token 数。</translation>
    </message>
    <message>
        <source>{n} prepared while you typed</source>
        <translation>输入时已预备 {n}</translation>
    </message>
    <message>
        <source>Tokens of the prompt that were read before you pressed Enter.</source>
        <translation>在您按下 Enter 之前已读取的提示 token 数。</translation>
    </message>
    <message>
        <source>reading {done} of {total} tokens</source>
        <translation>正在读取 {done} / {total} 个 token</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
    <message>
        <source>{n} cached</source>
        <translation>已缓存 {n}</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考中</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>思考了 {time}</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>思考过程</translation>
    </message>
</context>
<context>
    <name>FileIntake</name>
    <message>
        <source>Attach files</source>
        <translation>添加附件</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>粘贴的文本</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this chat</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Previous match (Shift+Enter)</source>
        <translation>上一处 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next match (Enter)</source>
        <translation>下一处 (Enter)</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>{n} of {total}</source>
        <translation>{n} / {total}</translation>
    </message>
</context>
<context>
    <name>FindPage</name>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Search models on the hub</source>
        <translation>在模型库中搜索模型</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>搜索结果</translation>
    </message>
    <message>
        <source>Worth starting with. Type to search the hub.</source>
        <translation>值得从这些开始。输入文字可搜索模型库。</translation>
    </message>
    <message>
        <source>{n} layers</source>
        <translation>{n} 层</translation>
    </message>
    <message>
        <source>{n} KV heads</source>
        <translation>{n} 个 KV 头</translation>
    </message>
    <message>
        <source>header read in one request, {size}</source>
        <translation>一次请求读取文件头，{size}</translation>
    </message>
    <message>
        <source>header read in {n} requests, {size}</source>
        <translation>{n} 次请求读取文件头，{size}</translation>
    </message>
    <message>
        <source>{name}: {reason}.</source>
        <translation>{name}：{reason}。</translation>
    </message>
    <message>
        <source>The longest context that fits whole is {n} tokens.</source>
        <translation>能完整容纳的最长上下文为 {n} 个 token。</translation>
    </message>
    <message>
        <source>Speed behind ≈ is expected from this machine&apos;s measured bandwidth, until a chat has measured it.</source>
        <translation>≈ 后的速度由本机实测带宽推算，直到有对话实测为止。</translation>
    </message>
    <message>
        <source>Context in tokens</source>
        <translation>上下文（token）</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>KV cache type {kind}</source>
        <translation>KV 缓存类型 {kind}</translation>
    </message>
    <message>
        <source>{n} B</source>
        <translation>{n} B</translation>
    </message>
    <message>
        <source>{n} downloads</source>
        <translation>{n} 次下载</translation>
    </message>
    <message>
        <source>gated: accept the licence first</source>
        <translation>受限：需先接受许可</translation>
    </message>
</context>
<context>
    <name>FirstRun</name>
    <message>
        <source>The starter model answers already; larger ones can be added under Models.</source>
        <translation>入门模型已可回答；更大的模型可在“模型”中添加。</translation>
    </message>
    <message>
        <source>No graphics card was found that this build can use, so models run on the processor.</source>
        <translation>未找到此构建可用的显卡，模型将在处理器上运行。</translation>
    </message>
    <message>
        <source> with {size}</source>
        <translation>（{size}）</translation>
    </message>
    <message>
        <source>Found {name}{memory}: models run on it.</source>
        <translation>检测到 {name}{memory}：模型将在其上运行。</translation>
    </message>
</context>
<context>
    <name>Footer</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>更多操作</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Duplicate chat from here</source>
        <translation>从此处复制对话</translation>
    </message>
    <message>
        <source>Add to prompt library</source>
        <translation>添加到提示词库</translation>
    </message>
    <message>
        <source>Why slow?</source>
        <translation>为什么慢？</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>GapCard</name>
    <message>
        <source>Between tokens</source>
        <translation>token 间隔</translation>
    </message>
    <message>
        <source>shaded: another chat&apos;s prefill</source>
        <translation>阴影：其他对话的预填充</translation>
    </message>
    <message>
        <source>How often each gap occurred; both axes are logarithmic.</source>
        <translation>各间隔出现的次数；两轴均为对数。</translation>
    </message>
    <message>
        <source>{gap} fluid</source>
        <translation>{gap} 流畅</translation>
    </message>
    <message>
        <source>{gap} slow</source>
        <translation>{gap} 缓慢</translation>
    </message>
    <message>
        <source>{p50} · P99 {p99} ms</source>
        <translation>{p50} · P99 {p99} 毫秒</translation>
    </message>
    <message>
        <source>{ms} ms</source>
        <translation>{ms} 毫秒</translation>
    </message>
</context>
<context>
    <name>GeneralPage</name>
    <message>
        <source>General</source>
        <translation>常规</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Takes effect at the next start.</source>
        <translation>下次启动时生效。</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>配色</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>Font</source>
        <translation>字体</translation>
    </message>
    <message>
        <source>The one that fits the system</source>
        <translation>适合系统的字体</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>字号</translation>
    </message>
    <message>
        <source> px</source>
        <translation> 像素</translation>
    </message>
    <message>
        <source>Enter sends</source>
        <translation>Enter 发送</translation>
    </message>
    <message>
        <source>Off: Enter begins a new line, and Shift+Enter sends.</source>
        <translation>关闭时：Enter 换行，Shift+Enter 发送。</translation>
    </message>
</context>
<context>
    <name>HardwareCard</name>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>{value:.0f} W</source>
        <translation>{value:.0f} W</translation>
    </message>
    <message>
        <source>{value:.0f} °C</source>
        <translation>{value:.0f} °C</translation>
    </message>
    <message>
        <source>{value:.0f} MHz</source>
        <translation>{value:.0f} MHz</translation>
    </message>
    <message>
        <source>processor {value:.0f} %</source>
        <translation>处理器 {value:.0f} %</translation>
    </message>
    <message>
        <source>engine {size} of RAM</source>
        <translation>引擎占用内存 {size}</translation>
    </message>
</context>
<context>
    <name>HostClient</name>
    <message>
        <source>The engine is not running.</source>
        <translation>引擎未运行。</translation>
    </message>
    <message>
        <source>The engine could not be started: {reason}.</source>
        <translation>无法启动引擎：{reason}。</translation>
    </message>
    <message>
        <source>Run the set-up again, then choose Start again.</source>
        <translation>请重新运行安装程序，然后选择“重新启动”。</translation>
    </message>
    <message>
        <source>Firstlight is closing.</source>
        <translation>Firstlight 正在关闭。</translation>
    </message>
    <message>
        <source>crashed</source>
        <translation>崩溃</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>The engine {how} (exit code {code}).</source>
        <translation>引擎已{how}（退出码 {code}）。</translation>
    </message>
    <message>
        <source>It is being started again; the text so far is kept.</source>
        <translation>正在重新启动；已有的文字会保留。</translation>
    </message>
    <message>
        <source>The engine {how} {count} times in a row (exit code {code}).</source>
        <translation>引擎已连续{how} {count} 次（退出码 {code}）。</translation>
    </message>
    <message>
        <source>Choose Start again; if that fails too, run the doctor: python -m engine doctor.</source>
        <translation>请选择“重新启动”；若仍失败，请运行诊断：python -m engine doctor。</translation>
    </message>
</context>
<context>
    <name>HudFigure</name>
    <message>
        <source>notice</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
</context>
<context>
    <name>HudPanel</name>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>this chat</source>
        <translation>此对话</translation>
    </message>
    <message>
        <source>this session</source>
        <translation>本次会话</translation>
    </message>
    <message>
        <source>24 hours</source>
        <translation>24 小时</translation>
    </message>
    <message>
        <source>all time</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Which answers the percentiles cover</source>
        <translation>百分位数覆盖哪些回答</translation>
    </message>
    <message>
        <source>Close the latency panel</source>
        <translation>关闭延迟面板</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Compare answers…</source>
        <translation>比较回答…</translation>
    </message>
    <message>
        <source>What each technique brings…</source>
        <translation>各项技术的效果…</translation>
    </message>
    <message>
        <source>Export the figures…</source>
        <translation>导出数据…</translation>
    </message>
</context>
<context>
    <name>HudStrip</name>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>1 alert</source>
        <translation>1 个警报</translation>
    </message>
    <message>
        <source>{n} alerts</source>
        <translation>{n} 个警报</translation>
    </message>
    <message>
        <source>reading </source>
        <translation>正在读取 </translation>
    </message>
    <message>
        <source> of {total} tokens</source>
        <translation> / {total} 个 token</translation>
    </message>
    <message>
        <source>, {time} left</source>
        <translation>，剩余 {time}</translation>
    </message>
    <message>
        <source>waiting for another answer</source>
        <translation>等待另一个回答</translation>
    </message>
    <message>
        <source>waiting for the model</source>
        <translation>等待模型</translation>
    </message>
    <message>
        <source>no answer yet</source>
        <translation>尚无回答</translation>
    </message>
    <message>
        <source>TTFT </source>
        <translation>TTFT </translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>ITL </source>
        <translation>ITL </translation>
    </message>
    <message>
        <source> · P99 </source>
        <translation> · P99 </translation>
    </message>
    <message>
        <source>{ms} ms</source>
        <translation>{ms} 毫秒</translation>
    </message>
    <message>
        <source>Between tokens {p50} milliseconds, 99th percentile {p99}</source>
        <translation>token 间隔 {p50} 毫秒，第 99 百分位 {p99}</translation>
    </message>
    <message>
        <source>{share} % of memory bandwidth</source>
        <translation>内存带宽的 {share} %</translation>
    </message>
    <message>
        <source>KV </source>
        <translation>KV </translation>
    </message>
    <message>
        <source>context </source>
        <translation>上下文 </translation>
    </message>
    <message>
        <source>VRAM </source>
        <translation>显存 </translation>
    </message>
    <message>
        <source>RAM </source>
        <translation>内存 </translation>
    </message>
    <message>
        <source>What the engine is doing for this chat right now.</source>
        <translation>引擎此刻正在为此对话做什么。</translation>
    </message>
    <message>
        <source>Time to first token: from the engine accepting the request to the first output token.
Queueing, model loading, template, cache restore and prefill added up.
Over 0.3 s is a felt pause, over 1 s makes people doubt that it was sent.</source>
        <translation>首 token 时间：从引擎接受请求到首个输出 token。
排队、模型加载、模板、缓存恢复和预填充之和。
超过 0.3 秒会感到停顿，超过 1 秒会让人怀疑是否已发送。</translation>
    </message>
    <message>
        <source>Decode rate: 1 / time per output token. The token that the prefill yields is not counted.</source>
        <translation>解码速率：1 / 每个输出 token 的时间。预填充产生的那个 token 不计入。</translation>
    </message>
    <message>
        <source>Inter-token latency: the gaps between successive tokens of this answer, median and 99th percentile.
Over 50 ms is no longer fluid, over 200 ms is halting.</source>
        <translation>token 间延迟：此回答相邻 token 的间隔，中位数与第 99 百分位。
超过 50 毫秒不再流畅，超过 200 毫秒显得卡顿。</translation>
    </message>
    <message>
        <source>Bytes of KV cache that this chat holds, and the cache&apos;s element type.</source>
        <translation>此对话占用的 KV 缓存字节数及缓存元素类型。</translation>
    </message>
    <message>
        <source>Tokens of this chat in the model&apos;s context, and how many fit.</source>
        <translation>此对话在模型上下文中的 token 数，以及可容纳的数量。</translation>
    </message>
    <message>
        <source>Memory in use and total: of the GPU, or of the computer where there is none.</source>
        <translation>已用与总内存：GPU 的显存；没有 GPU 时为本机内存。</translation>
    </message>
    <message>
        <source>Readings over their thresholds; the latency panel lists them.</source>
        <translation>超过阈值的读数；延迟面板中有列表。</translation>
    </message>
    <message>
        <source>Memory bandwidth utilisation: bytes read per token × tokens per second, against the
bandwidth measured on this machine. Near 100 % the hardware is the limit.</source>
        <translation>内存带宽利用率：每 token 读取字节数 × 每秒 token 数，与本机实测带宽之比。
接近 100 % 时硬件即为极限。</translation>
    </message>
</context>
<context>
    <name>ImportReportDialog</name>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>What was left out</source>
        <translation>未导入的内容</translation>
    </message>
    <message>
        <source>Undo the import</source>
        <translation>撤销导入</translation>
    </message>
    <message>
        <source>Keep as presets</source>
        <translation>保存为预设</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>{chats} chats with {messages} messages were imported.</source>
        <translation>已导入 {chats} 个对话，共 {messages} 条消息。</translation>
    </message>
    <message>
        <source>{n} were here already.</source>
        <translation>{n} 个已存在。</translation>
    </message>
    <message>
        <source>{n} could not be read.</source>
        <translation>{n} 个无法读取。</translation>
    </message>
    <message>
        <source>The import was stopped before its end.</source>
        <translation>导入在完成前被停止。</translation>
    </message>
    <message>
        <source>Characters, to be kept as presets</source>
        <translation>角色，可保存为预设</translation>
    </message>
</context>
<context>
    <name>Interaction</name>
    <message>
        <source>Copy selection</source>
        <translation>复制所选</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Copy link address</source>
        <translation>复制链接地址</translation>
    </message>
</context>
<context>
    <name>JumpButton</name>
    <message>
        <source>Jump to the newest text</source>
        <translation>跳到最新内容</translation>
    </message>
</context>
<context>
    <name>LadderChart</name>
    <message>
        <source>{name}: TTFT {ttft} ms, TPOT {tpot} ms</source>
        <translation>{name}：TTFT {ttft} 毫秒，TPOT {tpot} 毫秒</translation>
    </message>
    <message>
        <source>TTFT, ms</source>
        <translation>TTFT，毫秒</translation>
    </message>
    <message>
        <source>TPOT, ms</source>
        <translation>TPOT，毫秒</translation>
    </message>
    <message>
        <source>Whole chat, s</source>
        <translation>整个对话，秒</translation>
    </message>
</context>
<context>
    <name>LadderDialog</name>
    <message>
        <source>What each technique brings</source>
        <translation>各项技术的效果</translation>
    </message>
    <message>
        <source>One chat is run on your model and machine, each time with one technique more: a short question, a long document, more turns, the chat opened again, a text to edit. It takes some minutes; other work on the machine blurs the figures.</source>
        <translation>在您的模型和机器上运行同一段对话，每次多启用一项技术：短问题、长文档、更多轮次、重新打开对话、待编辑的文本。需要几分钟；机器上的其他工作会影响数据。</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>plain</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>+ flash attention</source>
        <translation>+ Flash Attention</translation>
    </message>
    <message>
        <source>+ KV q8_0</source>
        <translation>+ KV q8_0</translation>
    </message>
    <message>
        <source>+ prefix reuse</source>
        <translation>+ 前缀复用</translation>
    </message>
    <message>
        <source>+ snapshots</source>
        <translation>+ 快照</translation>
    </message>
    <message>
        <source>+ prefill while typing</source>
        <translation>+ 输入时预填充</translation>
    </message>
    <message>
        <source>+ speculative</source>
        <translation>+ 推测解码</translation>
    </message>
    <message>
        <source>quality of KV types</source>
        <translation>KV 类型的质量</translation>
    </message>
    <message>
        <source>KV {type}: {divergence:.4f} nats from f16, the same likeliest token {share:.1f} % of the time</source>
        <translation>KV {type}：与 f16 相差 {divergence:.4f} nat，{share:.1f} % 的情况下最可能的 token 相同</translation>
    </message>
    <message>
        <source>Memory from {low} to {high}</source>
        <translation>内存从 {low} 到 {high}</translation>
    </message>
    <message>
        <source>{model}, {n} runs of each step</source>
        <translation>{model}，每步 {n} 次</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>LadderRunner</name>
    <message>
        <source>The measurement could not be started: {reason}</source>
        <translation>无法开始测量：{reason}</translation>
    </message>
    <message>
        <source>exit code {code}</source>
        <translation>退出码 {code}</translation>
    </message>
    <message>
        <source>The measurement&apos;s figures could not be read: {reason}</source>
        <translation>无法读取测量数据：{reason}</translation>
    </message>
</context>
<context>
    <name>LatencyDesk</name>
    <message>
        <source>Nothing was measured for this answer.</source>
        <translation>此回答没有测量数据。</translation>
    </message>
    <message>
        <source>Export the figures</source>
        <translation>导出数据</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Everything (*.json)</source>
        <translation>全部 (*.json)</translation>
    </message>
    <message>
        <source>The figures of {count} answers were written to {path}.</source>
        <translation>已将 {count} 次回答的数据写入 {path}。</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>No known cause explains its figures.</source>
        <translation>没有已知原因能解释这些数据。</translation>
    </message>
</context>
<context>
    <name>LocalPage</name>
    <message>
        <source>Models on this computer</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>No models yet. Search for one under Find.</source>
        <translation>还没有模型。请在“查找”中搜索。</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Tensor types</source>
        <translation>张量类型</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Keep warm</source>
        <translation>保持加载</translation>
    </message>
    <message>
        <source>Loads at the start, and never leaves memory for another model.</source>
        <translation>启动时加载，且不会为其他模型让出内存。</translation>
    </message>
    <message>
        <source>Make another quantization…</source>
        <translation>制作另一种量化…</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} 个 token</translation>
    </message>
    <message>
        <source>{n} context</source>
        <translation>{n} 上下文</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>不完整</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>已加载</translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>image part of another model</source>
        <translation>其他模型的图像部分</translation>
    </message>
    <message>
        <source>adapter</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>vocabulary only</source>
        <translation>仅词表</translation>
    </message>
    <message>
        <source>no chat model</source>
        <translation>非对话模型</translation>
    </message>
    <message>
        <source>Turns text into numbers for search. It cannot answer; the local API serves it.</source>
        <translation>把文本转成用于搜索的向量。它不能回答；由本地 API 提供服务。</translation>
    </message>
    <message>
        <source>Lets the model that it was made for see images. It is no model by itself.</source>
        <translation>让配套的模型能看图像；它本身不是模型。</translation>
    </message>
    <message>
        <source>Changes how the model that it was made for answers; it is loaded together with that model.</source>
        <translation>改变配套模型的回答方式；与该模型一同加载。</translation>
    </message>
    <message>
        <source>Holds only a vocabulary, no weights.</source>
        <translation>只有词表，没有权重。</translation>
    </message>
    <message>
        <source>This file is no chat model.</source>
        <translation>此文件不是对话模型。</translation>
    </message>
    <message>
        <source>Firstlight</source>
        <translation>Firstlight</translation>
    </message>
    <message>
        <source>hub cache</source>
        <translation>模型库缓存</translation>
    </message>
    <message>
        <source>your folder</source>
        <translation>您的文件夹</translation>
    </message>
    <message>
        <source>came with Firstlight</source>
        <translation>随 Firstlight 提供</translation>
    </message>
    <message>
        <source>Unload it first.</source>
        <translation>请先卸载。</translation>
    </message>
    <message>
        <source>Firstlight did not download it, so it is not deleted from here.</source>
        <translation>它不是由 Firstlight 下载的，因此不能在此删除。</translation>
    </message>
    <message>
        <source>Moves it to Firstlight&apos;s trash; it can be taken back.</source>
        <translation>移到 Firstlight 的回收站；可以恢复。</translation>
    </message>
</context>
<context>
    <name>MemoryCard</name>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>weights {size}</source>
        <translation>权重 {size}</translation>
    </message>
    <message>
        <source>KV {size}</source>
        <translation>KV {size}</translation>
    </message>
    <message>
        <source>compute {size}</source>
        <translation>计算 {size}</translation>
    </message>
    <message>
        <source>others {size}</source>
        <translation>其他 {size}</translation>
    </message>
    <message>
        <source>Expected before loading: {size} ({share:+d} %).</source>
        <translation>加载前预计：{size}（{share:+d} %）。</translation>
    </message>
</context>
<context>
    <name>ModelChip</name>
    <message>
        <source>Model: {name}, {state}. {details}</source>
        <translation>模型：{name}，{state}。{details}</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>loading {percent} %</source>
        <translation>加载中 {percent} %</translation>
    </message>
    <message>
        <source>could not be loaded</source>
        <translation>无法加载</translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation>未加载</translation>
    </message>
    <message>
        <source>{n} context</source>
        <translation>{n} 上下文</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>回答中</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>What the engine reports:</source>
        <translation>引擎报告：</translation>
    </message>
    <message>
        <source>{threads} threads · batch {batch}/{ubatch} · flash attention {flash}</source>
        <translation>{threads} 线程 · 批 {batch}/{ubatch} · Flash Attention {flash}</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>ModelManager</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>{free} of {total} free</source>
        <translation>可用 {free} / {total}</translation>
    </message>
    <message>
        <source>{rate}/s</source>
        <translation>{rate}/s</translation>
    </message>
    <message>
        <source>{size} free on disk</source>
        <translation>磁盘可用 {size}</translation>
    </message>
</context>
<context>
    <name>ModelManagerFeed</name>
    <message>
        <source>{name} was moved to Firstlight&apos;s trash.</source>
        <translation>{name} 已移到 Firstlight 的回收站。</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>搜索中…</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>未找到结果。</translation>
    </message>
    <message>
        <source>This repository has no chat model in GGUF.</source>
        <translation>此仓库没有 GGUF 格式的对话模型。</translation>
    </message>
    <message>
        <source>No GPU in use</source>
        <translation>未使用 GPU</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Folders with models</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>None beside Firstlight&apos;s own, the hub cache, LM Studio&apos;s and Ollama&apos;s.</source>
        <translation>除 Firstlight 自己的、模型库缓存、LM Studio 和 Ollama 的文件夹外没有其他。</translation>
    </message>
    <message>
        <source>Folder with models</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>More folders</source>
        <translation>更多文件夹</translation>
    </message>
    <message>
        <source>Models there are used in place.</source>
        <translation>其中的模型就地使用。</translation>
    </message>
    <message>
        <source>The hub</source>
        <translation>模型库</translation>
    </message>
    <message>
        <source>Stay offline</source>
        <translation>保持离线</translation>
    </message>
    <message>
        <source>Nothing is searched or downloaded.</source>
        <translation>不搜索，也不下载。</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>A mirror, such as https://hub.example.org; empty for the public hub.</source>
        <translation>镜像地址，如 https://hub.example.org；留空则使用公共模型库。</translation>
    </message>
    <message>
        <source>The public hub</source>
        <translation>公共模型库</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Empty: as the system.</source>
        <translation>留空：跟随系统。</translation>
    </message>
    <message>
        <source>Firstlight&apos;s data folder</source>
        <translation>Firstlight 的数据文件夹</translation>
    </message>
    <message>
        <source>Download to</source>
        <translation>下载到</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Type or paste a token</source>
        <translation>输入或粘贴令牌</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>For models whose licence has to be accepted first. It is kept in the system&apos;s keyring only.</source>
        <translation>用于需先接受许可的模型。仅保存在系统的密钥环中。</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Nothing matches.</source>
        <translation>没有匹配项。</translation>
    </message>
</context>
<context>
    <name>PercentileCard</name>
    <message>
        <source>Percentiles, ms</source>
        <translation>百分位数，毫秒</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>Time to first token: from the request to the first token.</source>
        <translation>首 token 时间：从请求到首个 token。</translation>
    </message>
    <message>
        <source>ITL</source>
        <translation>ITL</translation>
    </message>
    <message>
        <source>Inter-token latency: every gap between two tokens.</source>
        <translation>token 间延迟：相邻两个 token 的每个间隔。</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Time per output token: decode time over the tokens after the first.</source>
        <translation>每个输出 token 的时间：解码时间除以首个之后的 token 数。</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>From the request to the last token.</source>
        <translation>从请求到最后一个 token。</translation>
    </message>
    <message>
        <source>No answers here yet.</source>
        <translation>这里还没有回答。</translation>
    </message>
    <message>
        <source>{count} answers</source>
        <translation>{count} 次回答</translation>
    </message>
</context>
<context>
    <name>PerformancePage</name>
    <message>
        <source>Performance</source>
        <translation>性能</translation>
    </message>
    <message>
        <source>Kept in memory</source>
        <translation>驻留内存</translation>
    </message>
    <message>
        <source>Models that stay loaded</source>
        <translation>保持加载的模型</translation>
    </message>
    <message>
        <source>None. “Keep warm” in the list of models adds one.</source>
        <translation>无。在模型列表中选择“保持加载”即可添加。</translation>
    </message>
    <message>
        <source>Always loaded</source>
        <translation>始终加载</translation>
    </message>
    <message>
        <source>Models at once</source>
        <translation>同时加载的模型数</translation>
    </message>
    <message>
        <source>When one more is wanted, the one that was used least lately leaves.</source>
        <translation>需要再加载一个时，最久未用的模型让出。</translation>
    </message>
    <message>
        <source>Unload when idle</source>
        <translation>空闲时卸载</translation>
    </message>
    <message>
        <source>An unloaded model has to be read from disk before its next answer.</source>
        <translation>卸载后的模型在下次回答前需要从磁盘读取。</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分钟</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Memory for models</source>
        <translation>模型可用内存</translation>
    </message>
    <message>
        <source>All loaded models together.</source>
        <translation>所有已加载模型合计。</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>Half of what is free</source>
        <translation>可用内存的一半</translation>
    </message>
    <message>
        <source>Ahead of the first token</source>
        <translation>首个 token 之前</translation>
    </message>
    <message>
        <source>Prepare while you type</source>
        <translation>输入时预备</translation>
    </message>
    <message>
        <source>The model reads the chat and your unsent text, so that the answer begins sooner.</source>
        <translation>模型提前读取对话和您尚未发送的文字，让回答更早开始。</translation>
    </message>
    <message>
        <source>Also on battery</source>
        <translation>使用电池时也预备</translation>
    </message>
    <message>
        <source>Preparing what is then not sent costs energy.</source>
        <translation>预备而最终未发送的内容会耗电。</translation>
    </message>
    <message>
        <source>Snapshots in memory</source>
        <translation>内存中的快照</translation>
    </message>
    <message>
        <source>A chat whose KV cache is kept is opened in milliseconds instead of being read again.</source>
        <translation>保留了 KV 缓存的对话可在数毫秒内打开，无需重新读取。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>Snapshots on disk</source>
        <translation>磁盘上的快照</translation>
    </message>
    <message>
        <source>They outlive a restart. Deleting a chat deletes its snapshots.</source>
        <translation>重启后仍保留。删除对话会同时删除其快照。</translation>
    </message>
    <message>
        <source>How models are loaded</source>
        <translation>模型的加载方式</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens that one chat can hold. Automatic takes what fits, up to what the model was trained for.</source>
        <translation>一个对话可容纳的 token 数。“自动”取能容纳的最大值，不超过模型的训练长度。</translation>
    </message>
    <message>
        <source>KV cache type</source>
        <translation>KV 缓存类型</translation>
    </message>
    <message>
        <source>q8_0 halves the memory of a context and is hard to tell from f16; q4_0 quarters it and can be told.</source>
        <translation>q8_0 使上下文内存减半，与 f16 难以区分；q4_0 降到四分之一，但能察觉差异。</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Less memory and a faster prefill; a quantized KV cache needs it.</source>
        <translation>占用更少内存，预填充更快；量化的 KV 缓存需要它。</translation>
    </message>
    <message>
        <source>Layers on the GPU</source>
        <translation>GPU 层数</translation>
    </message>
    <message>
        <source>What fits</source>
        <translation>能放多少放多少</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU 线程</translation>
    </message>
    <message>
        <source>Parallel sequences</source>
        <translation>并行序列</translation>
    </message>
    <message>
        <source>Answers that can run at once; they share one cache.</source>
        <translation>可同时进行的回答数；它们共享同一缓存。</translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>From the text so far</source>
        <translation>取自已有文本</translation>
    </message>
    <message>
        <source>With a small model</source>
        <translation>用小模型</translation>
    </message>
    <message>
        <source>Guesses several tokens and checks them in one step. It pays where text is repeated, and never changes what is answered.</source>
        <translation>一次猜测多个 token 并在一步内验证。文本重复时有收益，且从不改变回答内容。</translation>
    </message>
    <message>
        <source>Load the model again</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>Settings of this part count when a model is loaded.</source>
        <translation>这部分设置在加载模型时生效。</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>{n} of {total}</source>
        <translation>{n} / {total}</translation>
    </message>
    <message>
        <source>from the text so far</source>
        <translation>取自已有文本</translation>
    </message>
    <message>
        <source>with a small model</source>
        <translation>用小模型</translation>
    </message>
</context>
<context>
    <name>Pickers</name>
    <message>
        <source>warm</source>
        <translation>已加载</translation>
    </message>
    <message>
        <source>Manage models…</source>
        <translation>管理模型…</translation>
    </message>
    <message>
        <source>download, delete, keep warm</source>
        <translation>下载、删除、保持加载</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>输入命令</translation>
    </message>
    <message>
        <source>No prompts yet. Add one from the menu of a message.</source>
        <translation>还没有提示词。可从消息的菜单中添加。</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Added to the prompts. Type / in an empty message to use it.</source>
        <translation>已添加到提示词。在空消息中输入 / 即可使用。</translation>
    </message>
    <message>
        <source>Open this address in the browser?</source>
        <translation>在浏览器中打开此地址？</translation>
    </message>
</context>
<context>
    <name>PresetsPage</name>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>A preset is chosen for each chat, over the transcript.</source>
        <translation>每个对话可在聊天记录上方选择预设。</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>What the model is told before everything else. A chat can have its own instead.</source>
        <translation>最先告诉模型的内容。每个对话可以另设自己的。</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>最长回答</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个 token</translation>
    </message>
    <message>
        <source>Until the model stops</source>
        <translation>直到模型停止</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>上下文已满时</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>舍弃最早的轮次</translation>
    </message>
    <message>
        <source>Summarise the oldest turns</source>
        <translation>将最早的轮次做成摘要</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止生成</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Use for new chats</source>
        <translation>用于新对话</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>0 always takes the likeliest token; higher values vary more.</source>
        <translation>0 总是取最可能的 token；值越高变化越多。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Draws from the K likeliest tokens only.</source>
        <translation>只从最可能的 K 个 token 中抽取。</translation>
    </message>
    <message>
        <source>Top K</source>
        <translation>Top K</translation>
    </message>
    <message>
        <source>Draws from the likeliest tokens that together reach this probability; 1 draws from all.</source>
        <translation>从累计达到此概率的最可能 token 中抽取；1 表示从全部中抽取。</translation>
    </message>
    <message>
        <source>Top P</source>
        <translation>Top P</translation>
    </message>
    <message>
        <source>Leaves out tokens that are less likely than this share of the likeliest.</source>
        <translation>舍弃概率低于最可能 token 此比例的 token。</translation>
    </message>
    <message>
        <source>Min P</source>
        <translation>Min P</translation>
    </message>
    <message>
        <source>Prefers tokens that are about as surprising as the text on average; 1 is off.</source>
        <translation>偏好与文本平均意外程度相近的 token；1 为关闭。</translation>
    </message>
    <message>
        <source>Typical P</source>
        <translation>Typical P</translation>
    </message>
    <message>
        <source>Against repetition</source>
        <translation>抑制重复</translation>
    </message>
    <message>
        <source>Makes tokens that came lately less likely; 1 is off. It harms code and tables.</source>
        <translation>降低近期出现过的 token 的概率；1 为关闭。会损害代码和表格。</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Grows with how often a token came; 0 is off.</source>
        <translation>随 token 出现次数增大；0 为关闭。</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>频率惩罚</translation>
    </message>
    <message>
        <source>The same for every token that came at all; 0 is off.</source>
        <translation>对出现过的每个 token 相同；0 为关闭。</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在惩罚</translation>
    </message>
    <message>
        <source>How many of the last tokens the penalties look at.</source>
        <translation>惩罚所考察的最近 token 数。</translation>
    </message>
    <message>
        <source>Whole context</source>
        <translation>整个上下文</translation>
    </message>
    <message>
        <source>Penalty window</source>
        <translation>惩罚窗口</translation>
    </message>
    <message>
        <source>Penalises repeated sequences, the longer the more, and leaves single words alone.</source>
        <translation>惩罚重复的序列，越长惩罚越重，不影响单个词。</translation>
    </message>
    <message>
        <source>DRY</source>
        <translation>DRY</translation>
    </message>
    <message>
        <source>Repeats up to this length cost nothing.</source>
        <translation>不超过此长度的重复不受惩罚。</translation>
    </message>
    <message>
        <source>DRY: free length</source>
        <translation>DRY：容许长度</translation>
    </message>
    <message>
        <source>For surprise</source>
        <translation>增加新意</translation>
    </message>
    <message>
        <source>How often the likeliest tokens are left out where several are good: less predictable prose.</source>
        <translation>在多个候选都不错时舍弃最可能 token 的频率：文字更难预料。</translation>
    </message>
    <message>
        <source>XTC</source>
        <translation>XTC</translation>
    </message>
    <message>
        <source>A token counts as good above this probability.</source>
        <translation>高于此概率的 token 视为不错的候选。</translation>
    </message>
    <message>
        <source>XTC: threshold</source>
        <translation>XTC：阈值</translation>
    </message>
    <message>
        <source>Steers the surprise itself; it replaces the samplers above.</source>
        <translation>直接控制意外程度；会取代上面的采样器。</translation>
    </message>
    <message>
        <source>Mirostat</source>
        <translation>Mirostat</translation>
    </message>
    <message>
        <source>The surprise that it aims at, in bits.</source>
        <translation>目标意外程度，以比特计。</translation>
    </message>
    <message>
        <source>Mirostat: surprise</source>
        <translation>Mirostat：意外程度</translation>
    </message>
    <message>
        <source>Rename preset</source>
        <translation>重命名预设</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>{name} · for new chats</source>
        <translation>{name} · 用于新对话</translation>
    </message>
</context>
<context>
    <name>ProgressDialog</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
</context>
<context>
    <name>PromptForm</name>
    <message>
        <source>Fill in the prompt</source>
        <translation>填写提示词</translation>
    </message>
</context>
<context>
    <name>PromptsPage</name>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Type / in an empty message to use one. A name in {{braces}} is a blank that you are asked for.</source>
        <translation>在空消息中输入 / 即可使用。{{花括号}} 中的名称是使用时要填写的空白。</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Asks for: {names}</source>
        <translation>需填写：{names}</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>新提示词</translation>
    </message>
</context>
<context>
    <name>QuantizationModel</name>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>位数</translation>
    </message>
    <message>
        <source>Keeps</source>
        <translation>保真</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>the original</source>
        <translation>原始</translation>
    </message>
    <message>
        <source>as good as the original</source>
        <translation>与原始一样好</translation>
    </message>
    <message>
        <source>hard to tell apart</source>
        <translation>难以区分</translation>
    </message>
    <message>
        <source>close to the original</source>
        <translation>接近原始</translation>
    </message>
    <message>
        <source>noticeable loss</source>
        <translation>有可察觉的损失</translation>
    </message>
    <message>
        <source>heavy loss</source>
        <translation>损失严重</translation>
    </message>
    <message>
        <source>{need} · fits</source>
        <translation>{need} · 可容纳</translation>
    </message>
    <message>
        <source>{need} · fits, little room</source>
        <translation>{need} · 可容纳，余量很小</translation>
    </message>
    <message>
        <source>{need} · fits with {layers} of {all} layers</source>
        <translation>{need} · 可放入 {layers} / {all} 层</translation>
    </message>
    <message>
        <source>{need} · processor only</source>
        <translation>{need} · 仅处理器</translation>
    </message>
    <message>
        <source>{need} · does not fit</source>
        <translation>{need} · 放不下</translation>
    </message>
    <message>
        <source>{name} recommended</source>
        <translation>{name} 推荐</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>≈ {rate} tok/s</source>
        <translation>≈ {rate} tok/s</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>paused at {share} %</source>
        <translation>已暂停于 {share} %</translation>
    </message>
    <message>
        <source>expected from this machine&apos;s measured bandwidth</source>
        <translation>由本机实测带宽推算</translation>
    </message>
    <message>
        <source>measured here</source>
        <translation>本机实测</translation>
    </message>
    <message>
        <source>measured here; {rate} tok/s had been expected, {off} %</source>
        <translation>本机实测；原推算 {rate} tok/s，{off} %</translation>
    </message>
    <message>
        <source>Weights {weights}, KV cache {kv}, compute buffers {compute}</source>
        <translation>权重 {weights}，KV 缓存 {kv}，计算缓冲 {compute}</translation>
    </message>
    <message>
        <source>First token of a 1,000-token prompt after {ttft}; {kind}.</source>
        <translation>1,000 个 token 的提示在 {ttft} 后出首个 token；{kind}。</translation>
    </message>
</context>
<context>
    <name>QuantizationTable</name>
    <message>
        <source>Quantizations</source>
        <translation>量化版本</translation>
    </message>
</context>
<context>
    <name>QuantizeDialog</name>
    <message>
        <source>Make another quantization</source>
        <translation>制作另一种量化</translation>
    </message>
    <message>
        <source>Types</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>{name} becomes a new file beside it.</source>
        <translation>将在 {name} 旁生成新文件。</translation>
    </message>
    <message>
        <source>{name} is {kind} already. Another quantization of it loses twice: its F16 is the better source.</source>
        <translation>{name} 已是 {kind}。再次量化会损失两次：以其 F16 为源更好。</translation>
    </message>
    <message>
        <source>Make it all the same</source>
        <translation>仍然制作</translation>
    </message>
    <message>
        <source>Made without statistics of the model&apos;s activations. Types that need them are left out; a file from the hub that was made with them keeps a little more at 4 bits and below.</source>
        <translation>制作时不使用模型的激活统计。需要它的类型不在列表中；在 4 位及以下，模型库中用其制作的文件会保留得略多一些。</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Make it</source>
        <translation>制作</translation>
    </message>
    <message>
        <source>{share} % done</source>
        <translation>已完成 {share} %</translation>
    </message>
    <message>
        <source>Ready: {size}, {mix}.</source>
        <translation>完成：{size}，{mix}。</translation>
    </message>
    <message>
        <source>Stopped. Nothing was kept.</source>
        <translation>已停止，未保留任何内容。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>约 {size}</translation>
    </message>
    <message>
        <source>the original</source>
        <translation>原始</translation>
    </message>
    <message>
        <source>as good as the original</source>
        <translation>与原始一样好</translation>
    </message>
    <message>
        <source>hard to tell apart</source>
        <translation>难以区分</translation>
    </message>
    <message>
        <source>close to the original</source>
        <translation>接近原始</translation>
    </message>
    <message>
        <source>noticeable loss</source>
        <translation>有可察觉的损失</translation>
    </message>
    <message>
        <source>heavy loss</source>
        <translation>损失严重</translation>
    </message>
</context>
<context>
    <name>SettingsController</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Snapshots</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>The token is kept in the system&apos;s keyring.</source>
        <translation>令牌已保存在系统的密钥环中。</translation>
    </message>
    <message>
        <source>The token is forgotten.</source>
        <translation>令牌已清除。</translation>
    </message>
    <message>
        <source>Back up the chats</source>
        <translation>备份对话</translation>
    </message>
    <message>
        <source>The chats were backed up to {file}.</source>
        <translation>对话已备份到 {file}。</translation>
    </message>
    <message>
        <source>Save diagnostics</source>
        <translation>保存诊断</translation>
    </message>
    <message>
        <source>The diagnostics were saved to {file}.</source>
        <translation>诊断已保存到 {file}。</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Reset this page</source>
        <translation>重置此页</translation>
    </message>
    <message>
        <source>Bring the defaults of this page back</source>
        <translation>恢复此页的默认值</translation>
    </message>
    <message>
        <source>in force: {value}</source>
        <translation>实际：{value}</translation>
    </message>
</context>
<context>
    <name>ShortcutsPage</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Click a field and press the keys. Backspace switches a key off.</source>
        <translation>点击输入框并按下按键。退格键可取消快捷键。</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Default key for “{command}”</source>
        <translation>“{command}”的默认快捷键</translation>
    </message>
    <message>
        <source>{key} belongs to “{command}”. Choose another, or change that one first.</source>
        <translation>{key} 已用于“{command}”。请另选一个，或先修改那一个。</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索所有对话</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>清除搜索</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>未找到。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>移到文件夹</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>新建文件夹…</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>不放入文件夹</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the folder, keep its chats</source>
        <translation>删除文件夹，保留对话</translation>
    </message>
</context>
<context>
    <name>TextList</name>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
</context>
<context>
    <name>ThresholdsPage</name>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Figures turn to the colour of a notice or a warning above these values.</source>
        <translation>超过这些值时，数字会变为提示或警告的颜色。</translation>
    </message>
    <message>
        <source>Notice above</source>
        <translation>超过则提示</translation>
    </message>
    <message>
        <source>Warning above</source>
        <translation>超过则警告</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首 token 时间</translation>
    </message>
    <message>
        <source>After about a second the thread of thought is lost.</source>
        <translation>大约一秒后，思路就会中断。</translation>
    </message>
    <message>
        <source>P99: notice above</source>
        <translation>P99：超过则提示</translation>
    </message>
    <message>
        <source>P99: warning above</source>
        <translation>P99：超过则警告</translation>
    </message>
    <message>
        <source>Between tokens</source>
        <translation>token 间隔</translation>
    </message>
    <message>
        <source>Below 50 ms the text flows.</source>
        <translation>低于 50 毫秒时文字流畅。</translation>
    </message>
    <message>
        <source>Halting above</source>
        <translation>超过则视为卡顿</translation>
    </message>
    <message>
        <source>Whole answers</source>
        <translation>整个回答</translation>
    </message>
    <message>
        <source>P95: warning above</source>
        <translation>P95：超过则警告</translation>
    </message>
    <message>
        <source>Waiting: warning above</source>
        <translation>等待：超过则警告</translation>
    </message>
    <message>
        <source>Failed answers: above</source>
        <translation>失败回答：超过</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Idle below</source>
        <translation>空闲：低于</translation>
    </message>
    <message>
        <source>for longer than</source>
        <translation>持续超过</translation>
    </message>
    <message>
        <source>Busy above</source>
        <translation>繁忙：高于</translation>
    </message>
    <message>
        <source>Memory above</source>
        <translation>显存：高于</translation>
    </message>
    <message>
        <source> ms</source>
        <translation> 毫秒</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
</context>
<context>
    <name>ThroughputCard</name>
    <message>
        <source>Tokens a second, last 5 minutes</source>
        <translation>最近 5 分钟的每秒 token 数</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Show or hide the chats</source>
        <translation>显示或隐藏对话列表</translation>
    </message>
    <message>
        <source>Show or hide the latency panel</source>
        <translation>显示或隐藏延迟面板</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>{used} of {all} layers on {device}</source>
        <translation>{used} / {all} 层在 {device} 上</translation>
    </message>
    <message>
        <source>on the CPU, 1 thread</source>
        <translation>在 CPU 上，1 线程</translation>
    </message>
    <message>
        <source>on the CPU, {n} threads</source>
        <translation>在 CPU 上，{n} 线程</translation>
    </message>
    <message>
        <source>Preset: {name}</source>
        <translation>预设：{name}</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Tool result</source>
        <translation>工具结果</translation>
    </message>
</context>
<context>
    <name>TrialPane</name>
    <message>
        <source>Try it</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>Explain in a few sentences how a lighthouse works.</source>
        <translation>用几句话解释灯塔的工作原理。</translation>
    </message>
    <message>
        <source>Prompt to try</source>
        <translation>试用的提示词</translation>
    </message>
    <message>
        <source>Settings of side A</source>
        <translation>A 组的设置</translation>
    </message>
    <message>
        <source>Settings of side B</source>
        <translation>B 组的设置</translation>
    </message>
    <message>
        <source> runs each</source>
        <translation> 次/组</translation>
    </message>
    <message>
        <source>Runs on each side</source>
        <translation>每组次数</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>试验</translation>
    </message>
    <message>
        <source>The sides take turns, each run reads the prompt anew. The model is loaded again for each turn.</source>
        <translation>两组交替进行，每次都重新读取提示。每轮都会重新加载模型。</translation>
    </message>
    <message>
        <source>Run {n} of {total}</source>
        <translation>第 {n} / {total} 次</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Choose two different settings.</source>
        <translation>请选择两种不同的设置。</translation>
    </message>
</context>
<context>
    <name>TtftCard</name>
    <message>
        <source>Time to first token</source>
        <translation>首 token 时间</translation>
    </message>
    <message>
        <source>queue {time}</source>
        <translation>排队 {time}</translation>
    </message>
    <message>
        <source>load {time}</source>
        <translation>加载 {time}</translation>
    </message>
    <message>
        <source>template {time}</source>
        <translation>模板 {time}</translation>
    </message>
    <message>
        <source>cache {time}</source>
        <translation>缓存 {time}</translation>
    </message>
    <message>
        <source>prefill {tokens} tokens {time}</source>
        <translation>预填充 {tokens} 个 token {time}</translation>
    </message>
    <message>
        <source>paint {time}</source>
        <translation>绘制 {time}</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>What would you like to know?</source>
        <translation>想了解些什么？</translation>
    </message>
    <message>
        <source>Explain something</source>
        <translation>解释概念</translation>
    </message>
    <message>
        <source>Explain how a KV cache makes a language model faster.</source>
        <translation>解释 KV 缓存如何让语言模型更快。</translation>
    </message>
    <message>
        <source>Write a letter</source>
        <translation>写一封信</translation>
    </message>
    <message>
        <source>Write a short letter to my landlord about a broken heater.</source>
        <translation>给房东写一封短信，说明暖气坏了。</translation>
    </message>
    <message>
        <source>Write code</source>
        <translation>写代码</translation>
    </message>
    <message>
        <source>Write a Python function that finds ISO dates in a text.</source>
        <translation>写一个在文本中查找 ISO 日期的 Python 函数。</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Recommended model</source>
        <translation>推荐模型</translation>
    </message>
    <message>
        <source>Recommended here: {name}, {size}</source>
        <translation>适合本机：{name}，{size}</translation>
    </message>
    <message>
        <source>{name} is being loaded. You can write already.</source>
        <translation>正在加载 {name}。您可以先开始输入。</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>在本机</translation>
    </message>
    <message>
        <source>{name} answers {where}. Nothing leaves it.</source>
        <translation>{name} {where}回答，内容不会离开本机。</translation>
    </message>
    <message>
        <source>No model is loaded yet.</source>
        <translation>尚未加载模型。</translation>
    </message>
</context>
<context>
    <name>WhyCard</name>
    <message>
        <source>Why was the answer at {time} slow?</source>
        <translation>{time} 的回答为什么慢？</translation>
    </message>
    <message>
        <source>The answer at {time} was not slow</source>
        <translation>{time} 的回答并不慢</translation>
    </message>
    <message>
        <source>All its figures are within your thresholds.</source>
        <translation>各项指标都在您的阈值之内。</translation>
    </message>
</context>
<context>
    <name>_Delegate</name>
    <message>
        <source>recommended</source>
        <translation>推荐</translation>
    </message>
</context>
<context>
    <name>catalog</name>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>everyday answers</source>
        <translation>日常问答</translation>
    </message>
    <message>
        <source>following instructions</source>
        <translation>遵循指令</translation>
    </message>
    <message>
        <source>knowledge</source>
        <translation>知识</translation>
    </message>
    <message>
        <source>long texts</source>
        <translation>长文本</translation>
    </message>
    <message>
        <source>many languages</source>
        <translation>多语言</translation>
    </message>
    <message>
        <source>mathematics</source>
        <translation>数学</translation>
    </message>
    <message>
        <source>quick drafts</source>
        <translation>快速草稿</translation>
    </message>
    <message>
        <source>reasoning</source>
        <translation>推理</translation>
    </message>
    <message>
        <source>rewriting</source>
        <translation>改写</translation>
    </message>
    <message>
        <source>science</source>
        <translation>科学</translation>
    </message>
    <message>
        <source>short answers in English</source>
        <translation>英文短答</translation>
    </message>
    <message>
        <source>speed for its size</source>
        <translation>同规模中速度快</translation>
    </message>
    <message>
        <source>summaries</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>thinking on request</source>
        <translation>按需思考</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>写作</translation>
    </message>
    <message>
        <source>your entry</source>
        <translation>您的条目</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>推荐</translation>
    </message>
    <message>
        <source>too large here</source>
        <translation>超出本机容量</translation>
    </message>
</context>
<context>
    <name>diagnosis</name>
    <message>
        <source>TTFT {ttft}: {load} of it loading the model.</source>
        <translation>TTFT {ttft}：其中 {load} 用于加载模型。</translation>
    </message>
    <message>
        <source>TTFT {ttft}: {queued} of it waiting for other answers.</source>
        <translation>TTFT {ttft}：其中 {queued} 在等待其他回答。</translation>
    </message>
    <message>
        <source>TTFT {ttft}: {share} of it prefill of {new} tokens, because {reason}.</source>
        <translation>TTFT {ttft}：其中 {share} 为 {new} 个 token 的预填充，原因：{reason}。</translation>
    </message>
    <message>
        <source>TTFT {ttft}: prefill at {rate} tok/s where {best} were reached here; {why}.</source>
        <translation>TTFT {ttft}：预填充速度 {rate} tok/s，而本机曾达到 {best}；{why}。</translation>
    </message>
    <message>
        <source>TTFT {ttft}: {share} of it prefill of {new} new tokens.</source>
        <translation>TTFT {ttft}：其中 {share} 为 {new} 个新 token 的预填充。</translation>
    </message>
    <message>
        <source>The engine had the first token after {ttft}, the window showed it after {perceived}: that is our fault.</source>
        <translation>引擎在 {ttft} 后得到首个 token，窗口却在 {perceived} 后才显示：这是我们的问题。</translation>
    </message>
    <message>
        <source>ITL P99 {p99} against a P50 of {p50}: {why}.</source>
        <translation>ITL P99 为 {p99}，而 P50 为 {p50}：{why}。</translation>
    </message>
    <message>
        <source>ITL grew from {first} to {last} with the context: {kv} of KV cache to read.</source>
        <translation>ITL 随上下文从 {first} 增至 {last}：需读取 {kv} 的 KV 缓存。</translation>
    </message>
    <message>
        <source>ITL {itl} is this machine&apos;s limit: {mbu} of its memory bandwidth is used.</source>
        <translation>ITL {itl} 已是本机极限：内存带宽已用 {mbu}。</translation>
    </message>
    <message>
        <source>ITL {itl} with only {mbu} of the memory bandwidth in use: {why}.</source>
        <translation>ITL {itl}，而内存带宽仅用 {mbu}：{why}。</translation>
    </message>
    <message>
        <source>{n} of {of} layers run on the CPU</source>
        <translation>{n} / {of} 层在 CPU 上运行</translation>
    </message>
    <message>
        <source>flash attention is off</source>
        <translation>Flash Attention 已关闭</translation>
    </message>
    <message>
        <source>something else keeps the machine busy</source>
        <translation>机器在忙于其他工作</translation>
    </message>
    <message>
        <source>{n} steps also read other chats&apos; prompts</source>
        <translation>{n} 步同时读取了其他对话的提示</translation>
    </message>
    <message>
        <source>other programs keep the processor busy</source>
        <translation>其他程序占用了处理器</translation>
    </message>
    <message>
        <source>its {n} threads share the processor with others</source>
        <translation>它的 {n} 个线程与其他程序共用处理器</translation>
    </message>
    <message>
        <source>Keep this model loaded</source>
        <translation>保持此模型加载</translation>
    </message>
    <message>
        <source>Let more answers run at once</source>
        <translation>允许更多回答同时进行</translation>
    </message>
    <message>
        <source>What changed, and how to undo it</source>
        <translation>改变了什么，如何还原</translation>
    </message>
    <message>
        <source>Summarise this chat&apos;s history</source>
        <translation>将此对话的历史做成摘要</translation>
    </message>
    <message>
        <source>Read prompts in larger steps</source>
        <translation>以更大的步长读取提示</translation>
    </message>
    <message>
        <source>Turn flash attention on</source>
        <translation>开启 Flash Attention</translation>
    </message>
    <message>
        <source>Keep the KV cache in q8_0</source>
        <translation>KV 缓存使用 q8_0</translation>
    </message>
    <message>
        <source>Halve the context for more GPU layers</source>
        <translation>上下文减半，换取更多 GPU 层</translation>
    </message>
    <message>
        <source>Choose a smaller quantization</source>
        <translation>选择更小的量化</translation>
    </message>
    <message>
        <source>Draft tokens from the prompt</source>
        <translation>从提示中起草 token</translation>
    </message>
    <message>
        <source>Use one thread less</source>
        <translation>少用一个线程</translation>
    </message>
    <message>
        <source>Read other prompts in smaller steps</source>
        <translation>以更小的步长读取其他提示</translation>
    </message>
    <message>
        <source>Halve the context</source>
        <translation>上下文减半</translation>
    </message>
    <message>
        <source>Report this</source>
        <translation>报告此问题</translation>
    </message>
</context>
<context>
    <name>failures</name>
    <message>
        <source>This cannot be done as it was asked.</source>
        <translation>无法按此要求执行。</translation>
    </message>
    <message>
        <source>These settings do not go together. Change them and try again.</source>
        <translation>这些设置不能同时使用。请修改后重试。</translation>
    </message>
    <message>
        <source>The device cannot run this KV cache type with flash attention. Choose f16 or q8_0.</source>
        <translation>此设备无法在 Flash Attention 下使用这种 KV 缓存类型。请选择 f16 或 q8_0。</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>The chats are in use by another program. Close the other window of Firstlight and try again.</source>
        <translation>对话正被另一个程序使用。请关闭 Firstlight 的另一个窗口后重试。</translation>
    </message>
    <message>
        <source>The file with the chats is damaged. Start Firstlight again: what can be read is recovered.</source>
        <translation>对话文件已损坏。请重新启动 Firstlight：可读的内容会被恢复。</translation>
    </message>
    <message>
        <source>The chats were written by a newer Firstlight. Update Firstlight to open them.</source>
        <translation>对话由更新版本的 Firstlight 写入。请更新 Firstlight 后打开。</translation>
    </message>
    <message>
        <source>The text is longer than the context. Shorten it, or load the model with a longer context.</source>
        <translation>文本超出上下文长度。请缩短文本，或以更长的上下文加载模型。</translation>
    </message>
    <message>
        <source>The disk is full. Free some space and try again.</source>
        <translation>磁盘已满。请腾出空间后重试。</translation>
    </message>
    <message>
        <source>The download did not succeed. Try again: what is here already is kept.</source>
        <translation>下载未成功。请重试：已下载的部分会保留。</translation>
    </message>
    <message>
        <source>The engine ended unexpectedly. Try a smaller context or fewer layers on the GPU.</source>
        <translation>引擎意外退出。请尝试更小的上下文或更少的 GPU 层数。</translation>
    </message>
    <message>
        <source>The engine cannot run. Run the set-up again.</source>
        <translation>引擎无法运行。请重新运行安装程序。</translation>
    </message>
    <message>
        <source>This model&apos;s licence has to be accepted on the hub first, and a token is needed in the settings.</source>
        <translation>需先在模型库接受此模型的许可，并在设置中填写令牌。</translation>
    </message>
    <message>
        <source>The hub does not have this.</source>
        <translation>模型库中没有此内容。</translation>
    </message>
    <message>
        <source>The hub asks for a pause. Try again in a few minutes.</source>
        <translation>模型库要求稍后再试。请过几分钟重试。</translation>
    </message>
    <message>
        <source>The hub cannot be reached. Check the connection, the proxy and the hub&apos;s address.</source>
        <translation>无法连接模型库。请检查网络、代理和模型库地址。</translation>
    </message>
    <message>
        <source>This could not be imported.</source>
        <translation>无法导入。</translation>
    </message>
    <message>
        <source>Something unexpected went wrong. The logs have the details.</source>
        <translation>发生意外错误。详情见日志。</translation>
    </message>
    <message>
        <source>The model file is damaged or incomplete. Download it again.</source>
        <translation>模型文件已损坏或不完整。请重新下载。</translation>
    </message>
    <message>
        <source>The model is in use. Unload it first.</source>
        <translation>模型正在使用。请先卸载。</translation>
    </message>
    <message>
        <source>This file is not a chat model. Choose another one.</source>
        <translation>此文件不是对话模型。请另选一个。</translation>
    </message>
    <message>
        <source>The model is not there. Choose another one.</source>
        <translation>找不到模型。请另选一个。</translation>
    </message>
    <message>
        <source>No model is loaded. Load one first.</source>
        <translation>尚未加载模型。请先加载。</translation>
    </message>
    <message>
        <source>This version of the engine does not know the model&apos;s architecture.</source>
        <translation>此版本的引擎不支持该模型的架构。</translation>
    </message>
    <message>
        <source>Firstlight is set to stay offline. The switch is in the settings.</source>
        <translation>Firstlight 已设为离线。可在设置中切换。</translation>
    </message>
    <message>
        <source>There is not enough memory. Choose a smaller context, a smaller quantization, or fewer layers.</source>
        <translation>内存不足。请选择更小的上下文、更小的量化或更少的层数。</translation>
    </message>
    <message>
        <source>There is nothing to answer yet.</source>
        <translation>还没有可回答的内容。</translation>
    </message>
    <message>
        <source>The parts of Firstlight do not understand each other. Start it again.</source>
        <translation>Firstlight 各部分版本不一致。请重新启动。</translation>
    </message>
    <message>
        <source>The place cannot be written. Check its permissions.</source>
        <translation>该位置不可写。请检查权限。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template cannot be used with this chat.</source>
        <translation>该模型的聊天模板无法用于此对话。</translation>
    </message>
</context>
<context>
    <name>quantities</name>
    <message>
        <source>{ms} ms</source>
        <translation>{ms} 毫秒</translation>
    </message>
    <message>
        <source>{s} s</source>
        <translation>{s} 秒</translation>
    </message>
    <message>
        <source>{minutes} min {s} s</source>
        <translation>{minutes} 分 {s} 秒</translation>
    </message>
</context>
<context>
    <name>shortcuts</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Regenerate the last answer</source>
        <translation>重新生成最后的回答</translation>
    </message>
    <message>
        <source>Copy the last answer</source>
        <translation>复制最后的回答</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索所有对话</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Show or hide the latency panel</source>
        <translation>显示或隐藏延迟面板</translation>
    </message>
    <message>
        <source>Show or hide the chats</source>
        <translation>显示或隐藏对话列表</translation>
    </message>
    <message>
        <source>Next chat</source>
        <translation>下一个对话</translation>
    </message>
    <message>
        <source>Previous chat</source>
        <translation>上一个对话</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Go to the message field</source>
        <translation>转到消息输入框</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>trial</name>
    <message>
        <source>as it is loaded now</source>
        <translation>当前的加载方式</translation>
    </message>
    <message>
        <source>KV cache {kind}</source>
        <translation>KV 缓存 {kind}</translation>
    </message>
    <message>
        <source>flash attention off</source>
        <translation>关闭 Flash Attention</translation>
    </message>
    <message>
        <source>flash attention on</source>
        <translation>开启 Flash Attention</translation>
    </message>
    <message>
        <source>tokens drafted from the prompt</source>
        <translation>从提示起草 token</translation>
    </message>
    <message>
        <source>no drafted tokens</source>
        <translation>不起草 token</translation>
    </message>
    <message>
        <source>prompt in steps of {n} tokens</source>
        <translation>提示按 {n} 个 token 分步</translation>
    </message>
    <message>
        <source>{n} threads</source>
        <translation>{n} 线程</translation>
    </message>
</context>
</TS>
